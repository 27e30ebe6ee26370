package idioms

import "sync"

// logEvent is a line of a log. A large one is left to the collector.
type logEvent struct{ buf []byte }

type loggable interface{ logTo(e *logEvent) }

var logEventPool = sync.Pool{New: func() any { return new(logEvent) }}

func newLogEvent() *logEvent {
	e := logEventPool.Get().(*logEvent)
	e.buf = e.buf[:0]
	return e
}

func putLogEvent(e *logEvent) {
	e.buf = e.buf[:0]
	if cap(e.buf) <= 1<<16 {
		logEventPool.Put(e)
	}
}

// ok: an event for what is a part of another.
func appendLogObject(dst []byte, o loggable) []byte {
	e := newLogEvent()
	o.logTo(e)
	dst = append(dst, e.buf...)
	putLogEvent(e)
	return dst
}

// ok: one for each part.
func (e *logEvent) objects(list []loggable) {
	for _, o := range list {
		e.buf = appendLogObject(e.buf, o)
		e.buf = append(e.buf, ',')
	}
}
