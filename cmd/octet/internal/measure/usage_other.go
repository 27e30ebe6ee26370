//go:build !unix

package measure

import "time"

// Used returns nothing: what this process has used is unknown on this system.
func Used() (cpu time.Duration, rss int64) { return 0, 0 }
