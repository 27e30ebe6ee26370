//go:build (linux || darwin || freebsd || netbsd || dragonfly) && !race && !msan && !asan && !octet_purego

package guard

import (
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/octet-go/octet/internal/finding"
)

// runReporter waits for the end of the program. If that was a fault in memory of
// the table it prints a report.
func runReporter() {
	// Those that end the program may be sent to all of its processes.
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM)
	closeInherited()
	text, at := readCrash(crashFile)
	if p, ok := faultAddress(text); ok {
		if entries, err := mapTable(); err == nil {
			if e := find(entries, p, os.Getpagesize()); e != nil {
				os.Stderr.WriteString(describe(e, p, text, at))
			}
		}
	}
}

// crashMax is how much of a crash text is kept. The goroutine that faulted comes
// first.
const crashMax = 64 << 10

// readCrash reads to the end, and returns the beginning and when it came.
func readCrash(fd int) (text string, at time.Time) {
	var kept []byte
	buf := make([]byte, 4096)
	for {
		n, err := syscall.Read(fd, buf)
		if err == syscall.EINTR || err == syscall.EAGAIN {
			continue
		}
		if n <= 0 {
			return string(kept), at
		}
		if kept == nil {
			at = time.Now()
		}
		kept = append(kept, buf[:min(n, crashMax-len(kept))]...)
	}
}

// faultAddress returns the address that a crash text blames.
func faultAddress(text string) (p uint64, ok bool) {
	for line := range strings.Lines(text) {
		// The first is a fault in Go code, the second one in C code.
		if !strings.HasPrefix(line, "[signal ") && !strings.HasPrefix(line, "PC=") {
			continue
		}
		if _, hex, found := strings.Cut(line, "addr=0x"); found {
			end := strings.IndexFunc(hex, func(r rune) bool { return !strings.ContainsRune("0123456789abcdef", r) })
			if end < 0 {
				end = len(hex)
			}
			p, err := strconv.ParseUint(hex[:end], 16, 64)
			return p, err == nil
		}
	}
	return 0, false
}

// mapTable returns the entries of the program's table.
func mapTable() ([]entry, error) {
	var st syscall.Stat_t
	if err := syscall.Fstat(tableFile, &st); err != nil {
		return nil, err
	}
	mem, err := syscall.Mmap(tableFile, 0, int(st.Size), syscall.PROT_READ, syscall.MAP_SHARED)
	return entriesOf(mem), err
}

// describe returns the report of a fault at p, which lies in the mapping of e or
// in the page behind it.
func describe(e *entry, p uint64, crash string, at time.Time) string {
	r := finding.Report{
		Code: finding.UseAfterRelease, What: "used after release",
		Object: "slice", Size: int(e.shown), Pool: string(e.name[:e.nameLen]),
		Age:      at.Sub(time.Unix(0, e.acquiredAt)),
		Acquired: absolute(e.acquired[:e.acquiredLen]),
	}
	if e.state == live {
		r.Code, r.What = finding.Overrun, "accessed beyond its end"
	} else {
		r.Idle = at.Sub(time.Unix(0, e.releasedAt))
		r.Released = absolute(e.released[:e.releasedLen])
	}
	text := r.Error()
	if stack := firstGoroutine(crash); stack != "" {
		text += "\nnow:" + stack
	}
	text += fmt.Sprintf("\nat:\n\taddress %#x", p)
	// A fault before the slice is one in its first page, or a processor names the
	// page alone, as s390x does.
	if p >= e.start {
		text += fmt.Sprintf(", byte %d of %d", p-e.start, e.shown)
	}
	return "\n" + text + "\n"
}

// firstGoroutine returns the frames of the first goroutine in a crash text, in the
// form that they have in a report, and without those of the runtime.
func firstGoroutine(crash string) string {
	_, stack, ok := strings.Cut(crash, "\ngoroutine ")
	if !ok {
		return ""
	}
	stack, _, _ = strings.Cut(stack, "\n\n")
	_, stack, _ = strings.Cut(stack, "\n")
	var b strings.Builder
	lines := strings.Split(stack, "\n")
	for i, line := range lines {
		place, ok := strings.CutPrefix(line, "\t")
		if !ok || i == 0 {
			continue
		}
		call := lines[i-1]
		if args := strings.LastIndexByte(call, '('); args > 0 && !strings.HasPrefix(call, "created by ") {
			call = call[:args]
		}
		if strings.HasPrefix(call, "runtime.") || call == "panic" {
			continue
		}
		if offset := strings.LastIndex(place, " +0x"); offset > 0 {
			place = place[:offset]
		}
		b.WriteString("\n\t" + call + "\n\t\t" + place)
	}
	return b.String()
}
