package engine

import "time"

// started is the moment from which durations are counted. Types of this package have no
// time.Time: with it, programs would link 70 KiB of what writes times.
var started = time.Now()
