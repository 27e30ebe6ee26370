// Package inlining is what the tests of package testenv have compiled.
package inlining

type Pair[T any] struct{ a, b T }

func (p *Pair[T]) First() T { return p.a }

type number int

func (n number) Twice() number { return 2 * n }

func Small(p *Pair[int]) number { return number(p.First()).Twice() }

//go:noinline
func Large() {}
