// Package groups declares the benchmarks of octet bench, a file or a family of
// files for each group.
//
// A contestant's n operations are written out as a loop around direct calls, in
// the same form for all contestants of a row: a call through an interface, a
// function value or a type parameter would cost as much as what is measured.
// Through a function value, a buffer of sync.Pool takes a tenth longer; through
// methods of a type parameter, half as long again. Each loop writes one byte of
// the memory that it gets, as a program that uses it would.
//
// # Map
//
//	groups.go               all groups
//	pool.go                 group pool: its rows
//	pool_rivals.go          the pools that are compared, each with its loops
//	pool_modes.go           ways to use a pool: bursts, handovers, many goroutines
//	pool_small.go           slices of 16 and 32 bytes, on the heap and on the stack
//	buffer.go               group buffer: its contestants, and one buffer at a time
//	buffer_mixed.go         small and large contents
//	buffer_stream.go        ReadFrom and WriteTo
//	dirty.go                group dirty: memory that is not cleared
//	string.go               group string
//	binary.go               group binary: its rows, and slices of numbers
//	binary_exact.go         fields to an io.Writer and from an io.Reader
//	binary_append.go        fields in a []byte, and buffered streams
//	binary_append_peers.go  the same by encoding/binary and cryptobyte
//	memory.go               group memory: what pools keep
//	memory_store.go         its contestants
//	memory_burst.go         what the next burst finds, and what is kept after the last
//	memory_squeeze.go       under a memory limit
//	memory_phases.go        what retention costs where the sizes change
//	memory_turns.go         many pools in turn, and slices from elsewhere
//	memory_steps.go         classes in steps
//	memory_grown.go         slices that grow after they were taken
//	limit.go                group limit: what asking costs
//	limit_server.go         a server with more load than fits
//	proxy.go                group proxy: httputil.ReverseProxy
//	grpc.go                 group grpc: calls of grpc-go
package groups

import (
	"github.com/octet-go/octet/cmd/octet/internal/contest"
	"github.com/octet-go/octet/cmd/octet/internal/patterns"
)

// All returns the groups that need no input, in the order in which they are
// shown.
func All() []contest.Group {
	return []contest.Group{
		Pool(),
		Buffer(),
		Dirty(),
		String(),
		Binary(),
		Memory(),
		Limit(),
		Proxy(),
		GRPC(),
		patterns.Group(),
	}
}
