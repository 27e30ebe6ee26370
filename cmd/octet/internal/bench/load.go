package bench

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
)

// proc is where Linux has its counters. Tests replace it.
var proc = os.DirFS("/proc")

// A load is what Linux has counted of the use of processors, in ticks since some time. On
// other systems it is 0.
type load struct {
	all, idle float64 // of all processors
	own       float64 // by this program and its children
}

func readLoad() load {
	machine, _ := fs.ReadFile(proc, "stat")
	self, _ := fs.ReadFile(proc, "self/stat")
	// cpu user nice system idle iowait irq softirq steal, and guests, which user has
	all, _, _ := strings.Cut(string(machine), "\n")
	// The fields after the name of the program: among them user and system, and those of children.
	own := string(self[strings.LastIndex(string(self), ")")+1:])
	return load{all: ticks(all, 1, 9), idle: ticks(all, 4, 6), own: ticks(own, 11, 15)}
}

// ticks adds fields of a line up, which may not have so many.
func ticks(line string, from, to int) (sum float64) {
	fields := strings.Fields(line)
	if len(fields) < to {
		return 0
	}
	for _, f := range fields[from:to] {
		n, _ := strconv.ParseFloat(f, 64)
		sum += n
	}
	return sum
}

// A machine is loaded if other programs use more than this share of its processors, and less
// is idle: then they take turns with the contestants.
const loadedFrom = 0.1

// others returns the share of the processors that other programs used between two
// loads, or 0 if the machine was not loaded.
func others(before, after load) float64 {
	all, idle := after.all-before.all, after.idle-before.idle
	if all <= 0 {
		return 0
	}
	share := (all - idle - (after.own - before.own)) / all
	if share < loadedFrom || idle/all > loadedFrom {
		return 0
	}
	return share
}

// firstLook is when a run looks whether the machine is loaded: after as many ticks, of 10 ms
// on each processor, as tell a tenth of them.
const firstLook = time.Second / 2

// warn prints, once it can be told and only then, that the machine is loaded since it began. It
// returns whether it has looked.
func warn(began time.Time, before load, bar *progressbar.ProgressBar, stderr io.Writer) (looked bool) {
	if time.Since(began) < firstLook {
		return false
	}
	if share := others(before, readLoad()); share > 0 {
		bar.Clear()
		fmt.Fprintf(stderr, "Warning: this machine is loaded. Other programs use %.0f %% of its processors and leave hardly any idle: "+
			"unless they end soon, there will be no verdict.\n", 100*share)
	}
	return true
}
