//go:build !unix

package measure

// Used returns nothing: what this process has used is unknown on this system.
func Used() Usage { return Usage{} }
