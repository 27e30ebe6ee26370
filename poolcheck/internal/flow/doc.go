// Package flow follows pooled memory along the paths of a function. This page says what
// it computes and what it gives up on; the files say how.
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
//     references, the goroutines that work on the object, the calls that it was
//     lent to, and the places outside of the function that it was stored in;
//   - objects to what branches have shown of them: nil, not nil, a constant, and
//     for inputs also how they compare with a constant.
//
// There is one object for each place of the program that makes a value, in each context
// that it is run in (place.go); one for the instance that an earlier round of a loop
// made there; and one for what each cell of an input held when the function began.
//
// # Transfer
//
// An explorer (explore.go) runs a function symbolically. A branch splits a state, and
// both halves learn from the condition (branch.go). Instructions change the state one
// by one (instr.go, memory.go). States wait at their blocks, first blocks first, so
// that paths meet. States that differ only in facts (what is known of objects, to whom
// they were lent, what was lost) are merged: the result has the facts that all of them
// have. So that they do meet, registers and cells that are not read any more are
// dropped first (prune.go).
//
// # Calls
//
// The first of these that there is tells what a call does: a row of the table, or what
// looks like a pool or an append (call.go, effect.go, looks.go, idle.go, dst.go); the body, if it
// is in the package, run in the state of the caller (inline.go); a summary (apply.go). A
// function that takes too much work by itself is not run in its callers.
//
// A call of an interface or of a stored function reaches those functions that the package
// shows to be there, and one of a function type of the package also the literals that
// become one, beside unknown code (dispatch.go). If there are several, nothing more is said
// of what had ended before and they can reach; what the method of one type has acquired
// goes back to that type. A struct in an interface is an object. Atomics and sync.Once are
// cells (atomic.go).
//
// What unknown code does with memory is learned from other paths and from other calls of
// the same method: if the program releases the memory itself after the call, the call only
// borrows (lend.go). So does what reads, writes or encodes by its name and returns no more
// than numbers and an error. What makes an error by its name returns one, or nil where the
// error that it wraps is nil (byname.go). A function literal does to what it captures what its
// body does, unless the callee keeps it by its name (literal.go).
//
// What compresses, encodes or formats into memory does not fail because of its writer, and no
// path leads to that error (sound.go).
//
// # Ownership
//
// Releases drive the life of an object (release.go, declared.go). A range loop that
// releases or replaces the element of each round has done so to all when it ends
// (ranges.go). A slice that the function makes owns the memory that it puts there
// (lists.go), be it inside of structs. What the function takes over is its own to release, if it
// releases that on some path, or others release what comes from the same place (taken.go): what it
// takes out of a channel, or out of a map that it deletes the key of (received.go); off a list in a
// field, or finds in a list that a function such as pop returns (popped.go); what it reads in a field
// or list that it empties (emptied.go); what each of its callers gives up (given.go); and what a
// method of an interface hands out by its implementation (handed.go). So is what it overwrites in
// a field that nothing else has shared. What it sends is the
// receivers', if all of them release it (sent.go). A slice in a box of its own, as in
// pool.Put(&b), is released like the slice. A pooled struct that is stored elsewhere as a
// whole has nothing left to release. Where it is not known how many references there are to a
// struct that counts them, the function has one (counted.go).
//
// Memory in a field of an input is lost where a method that ends its struct fails before the
// release, where a method uses it and puts other memory in its place (fields.go), and where a
// method that is called again puts other memory there without a look (again.go). What a path
// leaves in fields and channels is lost if nothing that the package takes out of there can come
// to a release, where it is dropped, and where a method that ends its struct empties the field:
// that is found without regard to paths (stranded.go, discarded.go, containers.go). A struct
// with a method that gives back the memory in its fields is followed there in the place of that
// memory (received.go). Memory in a parameter is lost where one way to fail does not release it
// and another does (params.go), and by a caller that does not ask for the error of a function
// that has released it unless it failed (inline.go). A method that may be called again, and
// changes nothing, releases what it leaves in a field once more (again.go). Memory is foreign to
// a pool if one release takes back what the function has acquired, or else what a field goes on
// using (kept.go).
//
// A goroutine is run on a copy of the state where it starts. It works on what it can reach,
// and on what it lends to unknown code, until something waits for it (task.go, wait.go). So
// does a function literal that is sent over a channel, and the Close method of an HTTP
// request's body, which the transport reads and closes (transport.go). A goroutine that loops
// works on the fields of its struct: a method that ends the struct and releases them is to
// wait for it. Other goroutines may be in the Read of a net.Conn that is closed, and may have
// loaded what an atomic.Pointer had (concurrent.go).
//
// Deferred calls run at the returns, where what was not released is a leak and what outlives
// its release an escape (exit.go). A leak counts only if something puts into the pool that
// the memory came from; variables, fields and parameters that may hold the same pool are
// found beforehand (pools.go). A report stands in the function where the release and the
// fault come together, and lists the steps that lead there (report.go).
//
// # Summaries
//
// A function is also run by itself, with unknown inputs. What other packages, and
// callers that do not run it, need to know is a short list of outcomes (summary.go):
// conditions on the inputs; what happened to each; which of their cells were written;
// and what the results are, in terms of the inputs or as newly acquired memory.
//
// # What it gives up on
//
// Unknown code may release, keep and overwrite whatever it can reach, except as other
// paths show; what it was given is neither leaked nor released twice, and its cells are
// unknown. Unknown are functions without a body or a summary, calls of interfaces and
// function values that nothing shows the target of, recursion, and functions of more
// than MaxHelper blocks that pool nothing. The standard library borrows, except for
// what the table says. Below maxDepth calls summaries stand for bodies. Goroutines do
// not interleave: one is either still at work or has ended. Elements of slices and maps
// are not distinguished, except as above. What a size decides is decided on purpose,
// and so is what a setting decides on a path that does not fail. Where many states come
// together, those go on as one that agree on pooled memory, and what they do not agree
// on is not known (blur.go). A function that takes too much work all the same, by
// maxStates, maxSteps and maxRead, is explored once more without running what it calls,
// and what was found until then counts; if that is too much, too, it is given up, and
// its callers know nothing of it. Wherever something is unknown, nothing is reported.
package flow
