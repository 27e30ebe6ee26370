// Package flow follows pooled memory along the paths of a function. This page
// says what it computes and what it gives up on; the files say how.
//
// # Domain
//
// A state is what is known at one point of one path (state.go). It maps
//
//   - registers of the SSA form and cells of memory to values. A value
//     (value.go) is a set of references to objects, and perhaps a constant, nil
//     or not nil. A reference says how the value relates to the object: it is the
//     whole, a part that begins later, a view such as a string or a reader, or
//     something that holds one of these in an element;
//   - objects to a status: live, released, moved by an append, handed to a
//     goroutine or callee that releases, sent on a channel, or gone, which means
//     that nothing more is said of it. A status also has the number of extra
//     references, the goroutines that work on the object, and the places outside
//     of the function that it was stored in;
//   - objects to what branches have told of them: nil, not nil, a constant.
//
// There is one object for each place of the program that makes a value, one for
// the instance that an earlier round of a loop made there, and one for what each
// cell of an input held when the function began.
//
// # Transfer
//
// An explorer (explore.go) runs a function symbolically. A branch splits a state
// and both halves learn from the condition (branch.go). Two states that meet at a
// block and are equal go on as one; what nobody can read any more is dropped
// first (prune.go), so that they do meet. Instructions change the state one by
// one (instr.go, memory.go). Calls (call.go) apply a row of the table (effect.go),
// a summary (apply.go), or, of a function literal, its body in the state of the
// caller, whose variables it shares. Releases drive the life of an object
// (release.go, declared.go). A goroutine (task.go) works on what it can reach
// until something waits for it. Deferred calls run at the returns (exit.go), where
// what was not released is a leak and what outlives its release an escape.
//
// # Summaries
//
// A function is run once with unknown inputs. What callers need to know of it is
// a short list of outcomes (summary.go): conditions on the inputs; what happened
// to each; which of their cells were written; and what the results are, in terms
// of the inputs or as newly acquired memory. Summaries of exported functions are
// facts for other packages.
//
// # What it gives up on
//
// Unknown code may release, keep and overwrite whatever it can reach; what it was
// given is then neither leaked nor released twice, and its cells are unknown.
// Unknown are functions without a body here or a summary, calls of interfaces and
// function values, recursion, functions of more than MaxHelper blocks that pool
// nothing, and literals that call each other more than maxDepth deep. The standard
// library borrows, except for what the table says. Goroutines do not interleave:
// one is either still at work or has ended. Elements of slices and maps are not
// told apart. A function with more than maxStates states at a block or more than
// maxSteps instructions times states is given up, and its callers know nothing of
// it. Wherever something is unknown, nothing is reported.
package flow
