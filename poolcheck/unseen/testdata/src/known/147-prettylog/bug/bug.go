// Package bug turns log lines that are JSON into lines that people read.
package bug

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	levelField   = "level"
	timeField    = "time"
	messageField = "message"
	callerField  = "caller"
	errorField   = "error"
)

const (
	bold   = 1
	faint  = 2
	red    = 31
	green  = 32
	yellow = 33
)

var lineBufs = sync.Pool{
	New: func() any { return bytes.NewBuffer(make([]byte, 0, 100)) },
}

func defaultParts() []string {
	return []string{timeField, levelField, callerField, messageField}
}

// A formatter makes text of a field or its value.
type formatter func(v any) string

// A prettyWriter writes to out what is written to it, formatted.
type prettyWriter struct {
	out        io.Writer
	noColor    bool
	timeFormat string
	parts      []string

	formatLevel   formatter
	formatTime    formatter
	formatMessage formatter
	formatCaller  formatter
	formatName    formatter
	formatValue   formatter
}

func newPrettyWriter(options ...func(w *prettyWriter)) prettyWriter {
	w := prettyWriter{out: os.Stdout, timeFormat: time.Kitchen, parts: defaultParts()}
	for _, option := range options {
		option(&w)
	}
	return w
}

// Write writes one event.
func (w prettyWriter) Write(p []byte) (n int, err error) {
	if w.parts == nil {
		w.parts = defaultParts()
	}
	if w.timeFormat == "" {
		w.timeFormat = time.Kitchen
	}

	buf := lineBufs.Get().(*bytes.Buffer)
	defer lineBufs.Put(buf)

	var evt map[string]any
	d := json.NewDecoder(bytes.NewReader(p))
	d.UseNumber()
	if err := d.Decode(&evt); err != nil {
		return n, fmt.Errorf("decoding the event: %w", err)
	}

	for _, part := range w.parts {
		w.writePart(buf, evt, part)
	}
	w.writeFields(evt, buf)

	buf.WriteByte('\n')
	buf.WriteTo(w.out)
	return len(p), nil
}

// writeFields writes what is no part of its own, the error first.
func (w prettyWriter) writeFields(evt map[string]any, buf *bytes.Buffer) {
	fields := make([]string, 0, len(evt))
	for field := range evt {
		switch field {
		case levelField, timeField, messageField, callerField, errorField:
			continue
		}
		fields = append(fields, field)
	}
	sort.Strings(fields)
	if _, ok := evt[errorField]; ok {
		fields = append([]string{errorField}, fields...)
	}
	if len(fields) > 0 {
		buf.WriteByte(' ')
	}

	for i, field := range fields {
		name, value := w.formatName, w.formatValue
		if name == nil {
			name = w.defaultName
		}
		if value == nil {
			value = w.defaultValue
		}
		if field == errorField {
			value = func(v any) string { return w.colorize(v, red) }
		}

		buf.WriteString(name(field))
		switch v := evt[field].(type) {
		case string:
			if needsQuote(v) {
				v = strconv.Quote(v)
			}
			buf.WriteString(value(v))
		case json.Number:
			buf.WriteString(value(v))
		default:
			b, err := json.Marshal(v)
			if err != nil {
				fmt.Fprintf(buf, "[error: %v]", err)
			} else {
				buf.WriteString(value(string(b)))
			}
		}
		if i < len(fields)-1 {
			buf.WriteByte(' ')
		}
	}
}

// writePart writes one of the parts that have their own place.
func (w prettyWriter) writePart(buf *bytes.Buffer, evt map[string]any, part string) {
	var format, preset formatter
	switch part {
	case levelField:
		format, preset = w.formatLevel, w.defaultLevel
	case timeField:
		format, preset = w.formatTime, w.defaultTime
	case messageField:
		format, preset = w.formatMessage, w.defaultValue
	case callerField:
		format, preset = w.formatCaller, w.defaultCaller
	default:
		format, preset = w.formatValue, w.defaultValue
	}
	if format == nil {
		format = preset
	}
	if s := format(evt[part]); s != "" {
		buf.WriteString(s)
		if part != w.parts[len(w.parts)-1] {
			buf.WriteByte(' ')
		}
	}
}

func needsQuote(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return r <= 0x20 || r > 0x7e || r == '\\' || r == '"'
	})
}

func (w prettyWriter) colorize(v any, c int) string {
	if w.noColor {
		return fmt.Sprint(v)
	}
	return fmt.Sprintf("\x1b[%dm%v\x1b[0m", c, v)
}

func (w prettyWriter) defaultName(v any) string { return w.colorize(fmt.Sprintf("%v=", v), faint) }

func (w prettyWriter) defaultValue(v any) string { return fmt.Sprint(v) }

func (w prettyWriter) defaultCaller(v any) string {
	c, _ := v.(string)
	if c == "" {
		return ""
	}
	return w.colorize(c, bold) + w.colorize(" >", faint)
}

func (w prettyWriter) defaultLevel(v any) string {
	switch v {
	case "debug":
		return w.colorize("DBG", yellow)
	case "info":
		return w.colorize("INF", green)
	case "warn":
		return w.colorize("WRN", red)
	case "error":
		return w.colorize("ERR", red)
	}
	return w.colorize("???", bold)
}

func (w prettyWriter) defaultTime(v any) string {
	s := "<nil>"
	switch t := v.(type) {
	case string:
		s = t
		if at, err := time.Parse(time.RFC3339, t); err == nil {
			s = at.Format(w.timeFormat)
		}
	case json.Number:
		s = t.String()
	}
	return w.colorize(s, faint)
}
