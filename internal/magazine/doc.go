// Package magazine keeps idle items, by classes of one capacity each. It is the lower
// floor of package engine, which has the pools: which classes there are, what is asked of
// them, and for how long idle memory is kept.
//
// # Map
//
//	doc.go       this map, and who owns what
//	item_*.go    what is kept: a bare pointer, or a slice under octet_purego; and odd items, which have more than their class
//	grid.go      which capacities there are
//	stack.go     stack: a few idle items, touched by one holder at a time
//	record.go    Record: a processor's stack and counters
//	retired.go   retired: a stack that a collection found idle
//	table_*.go   how a record is found in its table
//	class.go     Class: the records of the processors, and how to pin one
//	take.go      the way of an item out of a class
//	put.go       the way back
//	depot.go     depot: what the stacks of a class have no room for
//	list.go      list: a processor's part of it, under a lock
//	bound.go     bound: how much a depot keeps at most, and what all depots of a pool keep beyond that
//	budget.go    how a budget is divided and counted
//	age.go       what becomes of what nobody uses
//	counts.go    what the counters say
//
// # Levels
//
// A put pushes onto the stack of its class and processor, and a get pops from it. A stack
// that is full moves its older half to the depot of the class; a stack that is empty takes
// a batch from there. This is the design of Bonwick and Adams, "Magazines and Vmem" (USENIX
// 2001), except that a processor's stack needs no lock, as in tcmalloc, and that the depot is
// a list for each processor: goroutines that wait for one lock let others run, and then more
// is in use at once.
//
// Writing a large item takes longer than a lock. So a stack holds few of them, which move one by
// one, and the rest lies in the depot, where every processor finds it: last in, first out, so that
// idle memory in the CPU cache is reused first.
//
// # Who owns what
//
// A record and its stack belong to the holder of the record: in the pinned engine the
// goroutine pinned to that processor, in the portable engine the goroutine that locked that
// stripe. Only the holder ever reads or writes a stack's items. An item is on at most one
// stack or on one list of a depot, so that it is handed out once for each time it was put.
//
// What follows a collection (age.go) takes stacks away from records without holding them:
// it swaps pointers, and never looks into a stack. Each change of a pointer has one author:
//
//	retired: nil → r      aging, under Shared.Mu, while there is a stack
//	stack:   s → &blocked aging, next
//	retired: r → nil      the holder, who owns the stack then, or aging, which drops it
//	stack:   &blocked → s the holder, once retired is nil
//
// An item that an operation puts on a stack that was just dropped is lost to the collector.
// That costs a later allocation.
package magazine
