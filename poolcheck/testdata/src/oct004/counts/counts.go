// Package counts loses references to counted values, and does not.
package counts

import (
	"errors"

	"oct004/counts/column"
)

var errEmpty = errors.New("empty")

func free([]int64) {}

// A shape is what has a count, too.
type shape interface {
	Retain()
	Release()
	Len() int
}

// bad: the copy is lost, whose error is nil.
func copied(c *column.Column) (int, error) {
	short, err := column.Copy(c, 4) // want "OCT004: short is not released on every path"
	if err != nil {
		return 0, err
	}
	return short.Len(), nil
}

// ok: where the call fails there is nothing to release.
func copiedAndReleased(c *column.Column) (int, error) {
	short, err := column.Copy(c, 4)
	if errors.Is(err, errEmpty) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer short.Release()
	return short.Len(), nil
}

// keep adds a reference, which is its caller's to release.
func keep(s shape) int {
	s.Retain()
	return s.Len()
}

// ok: released by the function that asked for it.
func keptAndReleased(values []int64) int {
	c := column.New(values, free)
	defer c.Release()
	n := keep(c)
	c.Release()
	return n
}

// ok: a deferred literal releases what is in the list by then.
func listDeferred(c *column.Column, n int) (*column.Table, error) {
	var list []*column.Column
	defer func() {
		for _, part := range list {
			if part != nil {
				part.Release()
			}
		}
	}()
	for i := range n {
		part, err := column.Copy(c, i)
		if err != nil {
			return nil, err
		}
		list = append(list, part)
	}
	return column.NewTable(list), nil
}

// ok: flags say which elements are the function's.
func listWithFlags(c *column.Column, own bool) (*column.Table, error) {
	var list []*column.Column
	var owned []bool
	if own {
		part, err := column.Copy(c, 1)
		if err != nil {
			return nil, err
		}
		list, owned = []*column.Column{part}, []bool{true}
	} else {
		list, owned = []*column.Column{c}, []bool{false}
	}
	defer func() {
		for i, mine := range owned {
			if mine {
				list[i].Release()
			}
		}
	}()
	return column.NewTable(list), nil
}

// releaseAll releases what is in a list.
func releaseAll(list []*column.Column) {
	for i := range list {
		list[i].Release()
	}
}

// ok: the goroutine releases it.
func inGoroutine(values []int64, done chan<- int) {
	c := column.New(values, free)
	go func() {
		defer c.Release()
		done <- c.Len()
	}()
}

// ok: the literal calls itself, and goes where nobody sees it.
func recursive(values []int64, run func(func(int))) {
	c := column.New(values, free)
	var descend func(n int)
	descend = func(n int) {
		if n == 0 {
			c.Release()
			return
		}
		descend(n - 1)
	}
	visitors[0] = descend
	run(descend)
}

var visitors = make([]func(int), 1)

// filter says whether nothing is left: then it returns none.
func filter(c *column.Column, n int) (left *column.Column, empty bool, err error) {
	if n == 0 {
		return nil, true, nil
	}
	left, err = column.Copy(c, n)
	return left, false, err
}

// bad: there is one if it is not.
func filteredAndLost(c *column.Column, n int) (int, error) {
	left, empty, err := filter(c, n) // want "OCT004: left is not released on every path"
	if err != nil || empty {
		return 0, err
	}
	return left.Len(), nil
}

// ok: what was added to other columns is released by the name of its own list.
func moreColumns(t *column.Table, n int) (*column.Table, error) {
	more := make([]*column.Column, 0, n)
	defer func() {
		for _, c := range more {
			c.Release()
		}
	}()
	for i := range n {
		part, err := column.Copy(t.Column(0), i)
		if err != nil {
			return nil, err
		}
		more = append(more, part)
	}
	return column.NewTable(append(t.Columns(), more...)), nil
}

// ok: a list goes into another, which is released.
func joined(c *column.Column, n int) error {
	first, err := column.Copy(c, n)
	if err != nil {
		return err
	}
	var all []*column.Column
	some := []*column.Column{first}
	all = append(all, some...)
	releaseAll(all)
	return nil
}
