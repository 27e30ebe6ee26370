// Package postmortem says, when a fault in guarded memory ends the program, where that
// memory was acquired and freed. A second process does, the reporter: it reads what the
// Go runtime prints, and a table that the program leaves.
//
// # Map
//
//	doc.go      this map
//	table.go    what was acquired and freed where, in memory that survives the program
//	reporter.go starts the reporter
//	pipe_*.go   the pipe from the program to the reporter, and files that it must not keep open
//	crash.go    the reporter: reads the crash text, looks into the table
package postmortem
