// Package counts finds references that are lost, or given back twice, among values that count
// the references to them: arrays and records in the manner of Apache Arrow, shared buffers, and
// whatever else has a method such as Retain and one such as Release.
//
// # What a function promises
//
// Package flow runs what a function calls; this package does not. It learns from each function's
// body a contract (contract.go): for every parameter by how many the function changes the number
// of references that its caller owns, and for every result whether the caller owns a reference to
// it. Retain changes the number by one, Release by minus one. A function that stores its argument
// and retains it changes nothing: the reference that it keeps is its own. One that stores its
// argument and does not retain it takes the caller's reference over. Where the paths of a function
// differ, or it calls what nobody has seen, its contract says so, and what is given to it is not
// followed further.
//
// Contracts of exported functions are facts that other packages import. A call of an interface's
// method does what all implementations in the package agree on, or what its name says if that is
// Retain or Release.
//
// # What a path owns
//
// A runner (run.go) follows each path of a function. Its state has, for each value that an
// instruction makes or a parameter brings, the number of references that the path owns (state.go).
// Returning, storing or sending a value gives one away. A slice that the function makes owns what
// is put into it; a loop over all of it does to all elements what it does to one. Branches teach
// that a value is nil, or that the call which was to make it has failed: then there is nothing to
// own. Literals run where they are called, deferred, or given to a call.
//
// A path that ends and owns a reference has lost it. A value of which the path owned one reference
// and which it has given back twice was released twice.
//
// # What it gives up on
//
// Fields are not followed: what is stored in one is somebody else's, and what is read there is
// borrowed. A path through a call of unknown code reports nothing that the call was given, nor what
// generic functions or parameters of type any may have kept. Elements of a list are one: a loop that
// releases some of them leaves it unknown which are left. What a function makes itself, and gives to
// nobody, may have nothing to release yet. A function of more than maxSteps is not reported, and its
// contract is unknown.
package counts
