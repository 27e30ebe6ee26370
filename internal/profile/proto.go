package profile

import (
	"compress/gzip"
	"encoding/binary"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/octet-go/octet/checked/finding"
	"github.com/octet-go/octet/internal/check"
)

// A message is a protocol buffer under construction, of pprof's profile.proto
// (https://github.com/google/pprof/blob/main/proto/profile.proto), which has the numbers
// of the fields.
type message []byte

// uint appends a number. A number that is 0 may be left out.
func (m *message) uint(field int, v uint64) {
	*m = binary.AppendUvarint(*m, uint64(field)<<3)
	*m = binary.AppendUvarint(*m, v)
}

// bytes appends a string or a message.
func (m *message) bytes(field int, v []byte) {
	*m = binary.AppendUvarint(*m, uint64(field)<<3|2)
	*m = binary.AppendUvarint(*m, uint64(len(v)))
	*m = append(*m, v...)
}

// An encoder builds a profile.
type encoder struct {
	out     message
	strings map[string]uint64 // numbers, in the order in which they occur
	ids     map[any]uint64    // of functions and locations
}

type function struct{ name, file string }

// A location is a call in a function. Several are at one pc if that is inlined.
type location struct {
	pc   uintptr
	line int
	function
}

func writeProto(w io.Writer, notes []string, samples []check.Amount) error {
	e := &encoder{strings: map[string]uint64{}, ids: map[any]uint64{}}
	e.string("") // which must be number 0
	e.sampleType("buffers", "count")
	e.sampleType("space", "bytes")
	e.out.uint(14, e.string("space")) // default_sample_type
	e.out.uint(9, uint64(time.Now().UnixNano()))
	for _, note := range notes {
		e.out.uint(13, e.string(note)) // comment
	}
	e.mapping()
	for _, s := range samples {
		var m message
		for _, f := range (finding.Stack{PCs: s.Stack}).Frames() {
			m.uint(1, e.location(f)) // location_id
		}
		m.uint(2, uint64(s.Count)) // value
		m.uint(2, uint64(s.Bytes))
		e.out.bytes(2, m) // sample
	}
	z := gzip.NewWriter(w)
	if _, err := z.Write(e.out); err != nil {
		return err
	}
	return z.Close()
}

// string returns the number of s in the table of strings.
func (e *encoder) string(s string) uint64 {
	n, ok := e.strings[s]
	if !ok {
		n = uint64(len(e.strings))
		e.strings[s] = n
		e.out.bytes(6, []byte(s)) // string_table
	}
	return n
}

func (e *encoder) sampleType(name, unit string) {
	var m message
	m.uint(1, e.string(name)) // type
	m.uint(2, e.string(unit)) // unit
	e.out.bytes(1, m)         // sample_type
}

// mapping appends the only mapping, number 1. It says that pprof need not look up
// anything in the program's file.
func (e *encoder) mapping() {
	var m message
	m.uint(1, 1) // id
	if file, err := os.Executable(); err == nil {
		m.uint(5, e.string(file)) // filename
	}
	for has := 7; has <= 10; has++ { // functions, filenames, line numbers, inline frames
		m.uint(has, 1)
	}
	e.out.bytes(3, m) // mapping
}

// id returns the number of a function or location, and whether it had one.
func (e *encoder) id(key any) (id uint64, known bool) {
	if id, known = e.ids[key]; !known {
		id = uint64(len(e.ids)) + 1 // 0 is none
		e.ids[key] = id
	}
	return id, known
}

// location returns the number of a call.
func (e *encoder) location(f runtime.Frame) uint64 {
	key := location{f.PC, f.Line, function{f.Function, f.File}}
	id, known := e.id(key)
	if known {
		return id
	}
	var line message
	line.uint(1, e.function(key.function)) // function_id
	line.uint(2, uint64(f.Line))           // line
	var m message
	m.uint(1, id)
	m.uint(2, 1)            // mapping_id
	m.uint(3, uint64(f.PC)) // address
	m.bytes(4, line)
	e.out.bytes(4, m) // location
	return id
}

// function returns the number of a function.
func (e *encoder) function(f function) uint64 {
	id, known := e.id(f)
	if known {
		return id
	}
	var m message
	m.uint(1, id)
	m.uint(2, e.string(f.name)) // name
	m.uint(3, e.string(f.name)) // system_name
	m.uint(4, e.string(f.file)) // filename
	e.out.bytes(5, m)           // function
	return id
}
