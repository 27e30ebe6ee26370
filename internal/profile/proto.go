package profile

import (
	"compress/gzip"
	"encoding/binary"
	"io"
	"os"
	"runtime"
	"time"
)

// Fields of the messages in pprof's profile.proto
// (https://github.com/google/pprof/blob/main/proto/profile.proto).
const (
	profileSampleType        = 1
	profileSample            = 2
	profileMapping           = 3
	profileLocation          = 4
	profileFunction          = 5
	profileStringTable       = 6
	profileTimeNanos         = 9
	profileComment           = 13
	profileDefaultSampleType = 14

	valueTypeType = 1
	valueTypeUnit = 2

	sampleLocationID = 1
	sampleValue      = 2

	mappingID              = 1
	mappingFilename        = 5
	mappingHasFunctions    = 7
	mappingHasFilenames    = 8
	mappingHasLineNumbers  = 9
	mappingHasInlineFrames = 10

	locationID        = 1
	locationMappingID = 2
	locationAddress   = 3
	locationLine      = 4

	lineFunctionID = 1
	lineLine       = 2

	functionID         = 1
	functionName       = 2
	functionSystemName = 3
	functionFilename   = 4
)

// How a field is encoded.
const (
	wireVarint uint64 = 0
	wireBytes  uint64 = 2
)

// A message is a protocol buffer under construction.
type message []byte

// uint appends a number. A number that is 0 may be left out.
func (m *message) uint(field int, v uint64) {
	*m = binary.AppendUvarint(*m, uint64(field)<<3|wireVarint)
	*m = binary.AppendUvarint(*m, v)
}

// bytes appends a string, a message or packed numbers.
func (m *message) bytes(field int, v []byte) {
	*m = binary.AppendUvarint(*m, uint64(field)<<3|wireBytes)
	*m = binary.AppendUvarint(*m, uint64(len(v)))
	*m = append(*m, v...)
}

// packed appends numbers.
func (m *message) packed(field int, vs ...uint64) {
	var p []byte
	for _, v := range vs {
		p = binary.AppendUvarint(p, v)
	}
	m.bytes(field, p)
}

// An encoder builds a profile. It numbers strings, functions and locations in the order
// in which they occur.
type encoder struct {
	out       message
	strings   map[string]uint64
	functions map[function]uint64
	locations map[location]uint64
}

type function struct{ name, file string }

// A location is an instruction: the innermost function there, and how many
// functions there are, of which all but the last are inlined.
type location struct {
	pc    uintptr
	depth int
}

func writeProto(w io.Writer, notes []string, samples []Sample) error {
	e := &encoder{
		strings:   map[string]uint64{},
		functions: map[function]uint64{},
		locations: map[location]uint64{},
	}
	e.string("") // which must be number 0
	e.sampleType("buffers", "count")
	e.sampleType("space", "bytes")
	e.out.uint(profileDefaultSampleType, e.string("space"))
	e.out.uint(profileTimeNanos, uint64(time.Now().UnixNano()))
	for _, note := range notes {
		e.out.uint(profileComment, e.string(note))
	}
	e.mapping()
	for _, s := range samples {
		e.sample(s)
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
		e.out.bytes(profileStringTable, []byte(s))
	}
	return n
}

func (e *encoder) sampleType(name, unit string) {
	var m message
	m.uint(valueTypeType, e.string(name))
	m.uint(valueTypeUnit, e.string(unit))
	e.out.bytes(profileSampleType, m)
}

// mapping appends the only mapping, number 1. It says that pprof need not look up
// anything in the program's file.
func (e *encoder) mapping() {
	var m message
	m.uint(mappingID, 1)
	if file, err := os.Executable(); err == nil {
		m.uint(mappingFilename, e.string(file))
	}
	m.uint(mappingHasFunctions, 1)
	m.uint(mappingHasFilenames, 1)
	m.uint(mappingHasLineNumbers, 1)
	m.uint(mappingHasInlineFrames, 1)
	e.out.bytes(profileMapping, m)
}

func (e *encoder) sample(s Sample) {
	var ids []uint64
	var inlined []runtime.Frame // into what comes next
	for f := range frames(s.Stack) {
		if len(inlined) > 0 && inlined[0].Entry != f.Entry {
			// Stacks leave out methods that the compiler generated, but not what is
			// inlined into them.
			ids = append(ids, e.location(inlined))
			inlined = inlined[:0]
		}
		inlined = append(inlined, f)
		if f.Func != nil { // nil says that it is inlined
			ids = append(ids, e.location(inlined))
			inlined = inlined[:0]
		}
	}
	if len(inlined) > 0 {
		ids = append(ids, e.location(inlined))
	}
	var m message
	m.packed(sampleLocationID, ids...)
	m.packed(sampleValue, uint64(s.Count), uint64(s.Bytes))
	e.out.bytes(profileSample, m)
}

// location returns the number of an instruction in the given functions.
func (e *encoder) location(frames []runtime.Frame) uint64 {
	key := location{frames[0].PC, len(frames)}
	if id, ok := e.locations[key]; ok {
		return id
	}
	id := uint64(len(e.locations)) + 1 // 0 is none
	e.locations[key] = id
	var m message
	m.uint(locationID, id)
	m.uint(locationMappingID, 1)
	m.uint(locationAddress, uint64(key.pc))
	for _, f := range frames {
		var line message
		line.uint(lineFunctionID, e.function(f))
		line.uint(lineLine, uint64(f.Line))
		m.bytes(locationLine, line)
	}
	e.out.bytes(profileLocation, m)
	return id
}

// function returns the number of a function.
func (e *encoder) function(f runtime.Frame) uint64 {
	key := function{f.Function, f.File}
	if id, ok := e.functions[key]; ok {
		return id
	}
	id := uint64(len(e.functions)) + 1 // 0 is none
	e.functions[key] = id
	var m message
	m.uint(functionID, id)
	m.uint(functionName, e.string(f.Function))
	m.uint(functionSystemName, e.string(f.Function))
	m.uint(functionFilename, e.string(f.File))
	e.out.bytes(profileFunction, m)
	return id
}
