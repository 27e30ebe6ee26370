// Package bytespool has the names of github.com/fufuok/bytespool, for programs that were
// written for it: they change their import path and nothing else.
//
// Slices and pools are those of package [github.com/octet-go/octet/bytespool], which has
// one name for each thing, and new ones. The two packages may be mixed: a slice that
// one hands out may be released by the other, their default pools are the same, and
// [CapacityPools] has all methods of the pools that it embeds.
package bytespool

// # Map
//
//	pools.go  CapacityPools, the default pools, and the functions that use them
//	stats.go  the RuntimeStats family
//	doc.go    the package documentation
