// Package bug writes a log in the background.
package bug

import (
	"errors"
	"strconv"
	"sync"
	"time"
)

const maxKept = 64 << 10

// A line of the log is collected in a slice that goes with it.
type line struct {
	level int8
	buf   []byte
}

var lines = sync.Pool{New: func() any { return &line{buf: make([]byte, 0, 1<<10)} }}

type writer interface {
	writeLine(l *line) (int, error)
}

var errFull = errors.New("too many lines")

// A background writes lines in a goroutine of its own.
type background struct {
	out     writer
	size    int
	discard bool // what does not fit into the channel

	once sync.Once
	ch   chan *line
	done chan error
}

func (w *background) start() {
	w.ch = make(chan *line, w.size)
	w.done = make(chan error)
	go w.run()
}

func (w *background) run() {
	var err error
	for l := range w.ch {
		_, err = w.out.writeLine(l)
		lines.Put(l)
	}
	w.done <- err
}

func (w *background) writeLine(l *line) (int, error) {
	w.once.Do(w.start)

	// The caller gets another slice for the one that is sent.
	sent := lines.Get().(*line)
	sent.level = l.level
	sent.buf, l.buf = l.buf, sent.buf

	if w.discard {
		select {
		case w.ch <- sent:
			return len(sent.buf), nil
		default:
			return 0, errFull
		}
	}
	w.ch <- sent
	return len(sent.buf), nil
}

type logger struct{ out writer }

func (lg *logger) print(level int8, msg string) error {
	l := lines.Get().(*line)
	l.level = level
	l.buf = time.Now().AppendFormat(l.buf[:0], time.RFC3339)
	l.buf = append(l.buf, ' ')
	l.buf = strconv.AppendQuote(l.buf, msg)
	l.buf = append(l.buf, '\n')
	_, err := lg.out.writeLine(l)
	if cap(l.buf) <= maxKept {
		lines.Put(l)
	}
	return err
}
