//go:build !unix

package process

// Self returns nothing: what this process has used is unknown on this system.
func Self() Usage { return Usage{} }
