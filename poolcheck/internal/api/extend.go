package api

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// Extend reads rows that users add, one a line:
//
//	# comment
//	acquire example.com/pool.Get          the result is the caller's to release
//	release example.com/pool.Put 0        argument 0 goes back
//	release (*example.com/pool.Buf).Free  the receiver goes back
//	view    (*example.com/pool.Buf).Data  the result shows the receiver
//	keep    example.com/queue.Push 1      argument 1 is taken over
//	borrow  example.com/codec.Decode      no argument is kept
//
// Functions are named as go/types prints them. Arguments count from 0, the
// receiver first; without a number, 0 is meant.
func (t Table) Extend(text string) error {
	for n, fields := range Rows(text) {
		if err := t.extend(fields); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return nil
}

// Rows yields the rows of a text for [Table.Extend], word by word, with the lines that they stand on.
func Rows(text string) iter.Seq2[int, []string] {
	return func(yield func(int, []string) bool) {
		n := 0
		for line := range strings.Lines(text) {
			n++
			line, _, _ = strings.Cut(line, "#")
			if fields := strings.Fields(line); len(fields) > 0 && !yield(n, fields) {
				return
			}
		}
	}
}

func (t Table) extend(fields []string) error {
	if len(fields) < 2 || len(fields) > 3 {
		return fmt.Errorf("want %q, got %q", "verb function [argument]", strings.Join(fields, " "))
	}
	verb, name := fields[0], fields[1]
	if PackageOf(name) == name {
		return fmt.Errorf("%q names no function of a package: want path.Func or (*path.Type).Method", name)
	}
	arg := 0
	if len(fields) == 3 {
		n, err := strconv.Atoi(fields[2])
		if err != nil || n < 0 {
			return fmt.Errorf("argument %q is not a number from 0", fields[2])
		}
		arg = n
	}
	row := t[name]
	if row == nil || row.Family != User {
		row = &Func{Family: User}
		t[name] = row
	}
	switch verb {
	case "acquire":
		row.Effects = append(row.Effects, Effect{Op: Acquire, Res: arg})
	case "release":
		row.Effects = append(row.Effects, Effect{Op: Release, Arg: arg})
	case "view":
		row.Effects = append(row.Effects, Effect{Op: View, Arg: arg})
	case "keep":
		row.Effects = append(row.Effects, Effect{Op: Opaque, Arg: arg})
	case "borrow":
	default:
		return fmt.Errorf("verb %q is none of acquire, release, view, keep, borrow", verb)
	}
	return nil
}
