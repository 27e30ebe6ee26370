package oct004

import (
	"io"

	"oct004/logline"
)

func addPairs(e *logline.Entry, pairs ...string) {
	for i := 0; i+1 < len(pairs); i += 2 {
		e.Text(pairs[i], pairs[i+1])
	}
}

// ok: what the calls add to is sent.
func sendPairs(w io.Writer, pairs ...string) {
	e := logline.New(w)
	addPairs(e, pairs...)
	e.Any(len(pairs))
	e.Send()
}

// ok: each call of the chain returns the entry.
func sendText(w io.Writer, text string) {
	logline.New(w).Text("text", text).Send()
}

// ok: what Any returns is the entry as well, for all that one can see.
func sendAny(w io.Writer, v any) {
	logline.New(w).Any(v).Text("more", "yes").Send()
}

// bad: a short text is not sent.
func sendLong(w io.Writer, text string) {
	e := logline.New(w).Text("text", text) // want "OCT004: pooled memory is not released on every path"
	if len(text) < 10 {
		return
	}
	e.Send()
}
