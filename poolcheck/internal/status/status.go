// Package status has the exit statuses of poolcheck, which all of its commands share.
package status

// The exit statuses. Where two are true, it is the one of findings.
const (
	Clean      = 0
	Findings   = 1
	Usage      = 2
	Incomplete = 3
)

// Table says what they mean, for the help of the commands.
const Table = `Exit status:
  0  nothing was found
  1  something was found
  2  the command line is wrong
  3  not everything could be checked: a package does not build, a test fails without
     poolcheck, too, the Go release is not known, or the run was interrupted
`

// Of returns the exit status of a run: whether it found something, and looked at everything.
func Of(found, complete bool) int {
	switch {
	case found:
		return Findings
	case !complete:
		return Incomplete
	}
	return Clean
}
