//go:build (linux || darwin || freebsd || netbsd || dragonfly) && !race && !msan && !asan && !octet_purego

package postmortem

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/octet-go/octet/checked/finding"
)

// runReporter waits for the end of the program. If that is a fault in memory of the
// table, it prints a report.
//
// The report must be complete before the program is gone. Then whoever waits for the
// program may look for the report; and if the program is the first process of a
// container, the kernel ends this process, too. So this process holds up the runtime
// of the program while that prints. On Linux the pipe between them takes one write at
// a time (see crashPipe). The runtime writes each word first to standard error and
// then to the pipe, and there it blocks until the word before has been read. When
// this process has read " pc=" in
//
//	[signal SIGSEGV: segmentation violation code=0x1 addr=0x7f41c5a8e000 pc=0x4a3c2e]
//
// the number that follows is in the pipe, and the runtime has printed the end of the
// line and blocks. So the report appears between this line and the stack of the
// goroutine that faulted. Then this process makes room for more writes and reads them:
// writes to a closed pipe raise SIGPIPE, which takes the runtime twice as long.
//
// Other systems cannot hold up the runtime: there the report follows the rest.
func runReporter() {
	// Signals that are meant to end the program may be sent to all of its processes.
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM)
	closeInherited()
	p, ok := readFault(os.Stdin)
	at := time.Now()
	if !holdsWriter(crashFile) {
		io.Copy(io.Discard, os.Stdin)
	}
	if entries, err := mapTable(); ok && err == nil {
		if e := find(entries, p, os.Getpagesize()); e != nil {
			os.Stderr.WriteString(describe(e, p, at))
		}
	}
	letGo(os.Stdin)
}

// readFault reads a crash text until it names the address of a fault, which it returns. ok
// is false if the text names none before the first goroutine, or ends.
func readFault(r io.Reader) (p uint64, ok bool) {
	var line []byte
	buf := make([]byte, os.Getpagesize()) // the largest packet; what does not fit is lost
	for {
		n, err := r.Read(buf)
		if err != nil {
			return 0, false
		}
		for _, c := range buf[:n] {
			line = append(line, c)
			if p, ok := faultAddress(string(line)); ok {
				return p, true
			}
			if strings.HasPrefix(string(line), "goroutine ") {
				return 0, false
			}
			if c == '\n' {
				line = line[:0]
			}
		}
	}
}

// faultAddress returns the address that a line of a crash text names. The line may be
// incomplete: then ok is false until the address is complete.
func faultAddress(line string) (p uint64, ok bool) {
	// The first is a fault in Go code, the second one in C code.
	if !strings.HasPrefix(line, "[signal ") && !strings.HasPrefix(line, "PC=") {
		return 0, false
	}
	_, hex, found := strings.Cut(line, "addr=0x")
	if !found {
		return 0, false
	}
	end := strings.IndexFunc(hex, func(r rune) bool { return !strings.ContainsRune("0123456789abcdef", r) })
	if end < 0 || strings.HasPrefix(" pc=", hex[end:]) && hex[end:] != " pc=" {
		return 0, false // there may be more digits
	}
	p, err := strconv.ParseUint(hex[:end], 16, 64)
	return p, err == nil
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
func describe(e *entry, p uint64, at time.Time) string {
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
	text := r.Error() + fmt.Sprintf("\nat:\n\taddress %#x", p)
	// A fault before the slice is in its first page, or the processor names the page
	// alone, as s390x does.
	if p >= e.start {
		text += fmt.Sprintf(", byte %d of %d", p-e.start, e.shown)
	}
	return "\n" + text + "\nnow:\n\tthe first goroutine that Go prints\n"
}
