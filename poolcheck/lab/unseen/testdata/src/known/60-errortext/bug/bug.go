// Package bug has the errors of a client, which say whether to try again.
package bug

import (
	"bytes"
	"fmt"
	"strconv"
	"sync"
	"time"
)

type textBuffer struct{ bytes.Buffer }

var textBuffers = sync.Pool{New: func() any { return new(textBuffer) }}

func newText() *textBuffer {
	return textBuffers.Get().(*textBuffer)
}

func (b *textBuffer) Free() {
	b.Reset()
	textBuffers.Put(b)
}

// names joins what it is given, for messages in the log.
func names(list []string) string {
	b := newText()
	defer b.Free()
	for i, name := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(name)
	}
	return b.String()
}

type code uint32

const (
	unavailable code = 14
	exhausted   code = 8
	aborted     code = 10
)

func (c code) String() string {
	switch c {
	case unavailable:
		return "unavailable"
	}
	return "code " + strconv.FormatUint(uint64(c), 10)
}

type transportError struct {
	code    code
	err     error
	address string
	nodeID  uint32
	traceID string
}

func (e *transportError) Name() string { return "transport/" + e.code.String() }

func (e *transportError) Error() string {
	b := newText()
	b.WriteString(e.Name())
	fmt.Fprintf(b, " (code %d, cause %q", uint32(e.code), e.err.Error())
	if len(e.address) > 0 {
		fmt.Fprintf(b, ", address %q", e.address)
	}
	if e.nodeID > 0 {
		b.WriteString(", node ")
		b.WriteString(strconv.FormatUint(uint64(e.nodeID), 10))
	}
	if len(e.traceID) > 0 {
		fmt.Fprintf(b, ", trace %q", e.traceID)
	}
	b.WriteString(")")
	return b.String()
}

func (e *transportError) Unwrap() error { return e.err }

type retryError struct {
	name    string
	err     error
	wait    time.Duration
	traceID string
}

func (e *retryError) Name() string { return "retry/" + e.name }

func (e *retryError) Error() string {
	b := newText()
	b.WriteString(e.Name())
	fmt.Fprintf(b, " (wait %v, cause %q", e.wait, e.err.Error())
	if len(e.traceID) > 0 {
		fmt.Fprintf(b, ", trace %q", e.traceID)
	}
	b.WriteString(")")

	return b.String()
}

func (e *retryError) Unwrap() error { return e.err }

// A listError is several errors for one reason.
type listError struct {
	reason string
	list   []error
}

func (e *listError) Error() string {
	b := newText()
	if len(e.reason) > 0 {
		b.WriteString(e.reason)
		b.WriteString(": [")
	} else {
		b.WriteString("several errors: [")
	}
	for i, err := range e.list {
		if i != 0 {
			b.WriteString(", ")
		}
		b.WriteString(err.Error())
	}
	b.WriteString("]")
	return b.String()
}

func (e *listError) Unwrap() []error { return e.list }
