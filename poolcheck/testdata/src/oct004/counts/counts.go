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

// ok: the same, released.
func releasedBehindTable(values []int64) *column.Table {
	c := column.New(values, free)
	defer c.Release()
	return column.NewTable([]*column.Column{c})
}

// ok: released by its own name, while a list still shows it.
func listOnlyBorrows(values []int64) int {
	c := column.New(values, free)
	list := []*column.Column{nil, c}
	n := len(list)
	c.Release()
	return n
}

// ok: the table takes the columns over.
func adopted(values []int64) *column.Table {
	return column.Adopt([]*column.Column{column.New(values, free)})
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

// ok: what a function returns is what it was given.
func shifted(values []int64) *column.Column {
	c := column.New(values, free)
	return column.Shift(c, 1)
}

// ok: the column stays the table's.
func borrowed(t *column.Table) int { return t.Column(0).Len() }

// An owner keeps a column in a field.
type owner struct{ column *column.Column }

// ok: the column is the owner's.
func (o *owner) set(values []int64) { o.column = column.New(values, free) }

// ok: a column is stored and retained, in whatever order.
func (o *owner) share(c *column.Column) {
	o.column = c
	c.Retain()
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

// ok: a helper releases the list.
func listByHelper(values []int64) int {
	list := make([]*column.Column, 2)
	for i := range list {
		list[i] = column.New(values, free)
	}
	defer releaseAll(list)
	return len(list)
}

// A group runs functions.
type group struct{ err error }

func (g *group) Go(f func() error) {
	if err := f(); g.err == nil {
		g.err = err
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

// ok: whoever receives it releases it.
func sent(values []int64, out chan<- *column.Column) { out <- column.New(values, free) }

// ok: unknown code may take it over.
func given(values []int64, take func(*column.Column)) { take(column.New(values, free)) }

// ok: a variable says whether there is something to release.
func flagged(values []int64, wanted bool) int {
	var c *column.Column
	own := false
	if wanted {
		c, own = column.New(values, free), true
	}
	n := len(values)
	if own {
		c.Release()
	}
	return n
}

// ok: the second release is for the reference that was added.
func addedAndReleased(values []int64) int {
	c := column.New(values, free)
	defer c.Release()
	c.Retain()
	n := c.Len()
	c.Release()
	return n
}

// view runs a function and returns its error.
func view(f func() error) error {
	if err := f(); err != nil {
		return err
	}
	return nil
}

// ok: where the error is nil, the copy is returned, and else there is none.
func inView(c *column.Column) (short *column.Column, err error) {
	err = view(func() error {
		short, err = column.Copy(c, 3)
		return err
	})
	if err != nil {
		return nil, err
	}
	return short, nil
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
