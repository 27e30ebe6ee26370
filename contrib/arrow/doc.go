// Package arrow tests octet as the allocator of arrow-go. It exports nothing: a program
// needs package bytespool alone, and one line, which its Example shows.
package arrow
