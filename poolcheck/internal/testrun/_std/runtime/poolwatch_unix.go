//go:build unix && !linux

package runtime

func poolwatchFault(sig uint32, c *sigctxt, gp *g) bool { return false }
