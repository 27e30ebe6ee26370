// Package grpc tests octet as the pool of buffers of grpc-go. It exports nothing: a
// program needs package bytespool alone, and one line, which its Example shows. The page
// docs/GRPC.md of the repository has the choices.
package grpc
