//go:build !race && !386 && !arm

package buffer

// largeSlices says that a slice of 2 GiB that nobody touches takes no memory: not
// under the race detector, which keeps shadows, and not in a small address space.
const largeSlices = true
