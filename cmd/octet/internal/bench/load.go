package bench

import (
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"time"
)

// A load is what Linux has counted of the use of processors, in ticks since some time.
type load struct {
	all, idle float64 // of all processors
	own       float64 // by this program and its children
}

// readLoad reads the counters below proc, which is /proc. It returns false where there
// are none.
func readLoad(proc fs.FS) (l load, ok bool) {
	machine, err := fs.ReadFile(proc, "stat")
	if err != nil {
		return l, false
	}
	line, _, _ := strings.Cut(string(machine), "\n")
	fields := strings.Fields(line) // cpu user nice system idle iowait irq softirq steal, and guests, which user has
	if len(fields) < 9 || fields[0] != "cpu" {
		return l, false
	}
	for i, f := range fields[1:9] {
		ticks, _ := strconv.ParseFloat(f, 64)
		l.all += ticks
		if i == 3 || i == 4 {
			l.idle += ticks
		}
	}
	self, err := fs.ReadFile(proc, "self/stat")
	if err != nil {
		return l, false
	}
	name := strings.LastIndex(string(self), ")")
	if fields = strings.Fields(string(self[name+1:])); len(fields) < 15 {
		return l, false
	}
	for _, f := range fields[11:15] { // user and system, and those of children
		ticks, _ := strconv.ParseFloat(f, 64)
		l.own += ticks
	}
	return l, true
}

// A machine is loaded if other programs use more of its processors than the first of
// these, and less than the second is idle: then they take turns with the contestants.
const (
	othersAtMost = 0.1
	idleAtLeast  = 0.1
)

// others returns the share of the processors that other programs used between two
// loads, or 0 if the machine was not loaded.
func others(before, after load) float64 {
	all, idle := after.all-before.all, after.idle-before.idle
	if all <= 0 {
		return 0
	}
	share := (all - idle - (after.own - before.own)) / all
	if share < othersAtMost || idle/all > idleAtLeast {
		return 0
	}
	return share
}

// A watch looks at the machine during a run.
type watch struct {
	proc   fs.FS // /proc
	began  time.Time
	before load
	known  bool // whether there are counters
	looked bool
}

func newWatch(proc fs.FS) *watch {
	w := &watch{proc: proc, began: time.Now()}
	w.before, w.known = readLoad(proc)
	return w
}

// others is the function others, of the time since w was made.
func (w *watch) others() float64 {
	if after, ok := readLoad(w.proc); ok && w.known {
		return others(w.before, after)
	}
	return 0
}

// firstLook is when a run looks whether the machine is loaded: after as many ticks, of 10 ms
// on each processor, as tell a tenth of them.
const firstLook = time.Second / 2

// warn prints, once and as early as that can be told, that the machine is loaded.
// It is called between slices.
func (w *watch) warn(stderr io.Writer, bar *progress) {
	if w.looked || time.Since(w.began) < firstLook {
		return
	}
	w.looked = true
	if share := w.others(); share > 0 {
		bar.clear()
		fmt.Fprintf(stderr, "Warning: this machine is loaded. Other programs use %.0f %% of its processors and leave hardly any idle: "+
			"unless they end soon, there will be no verdict.\n", 100*share)
	}
}
