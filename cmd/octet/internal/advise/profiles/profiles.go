// Package profiles reads the profiles of a program: from files, from a service, and from
// a benchmark that it runs.
//
// # Map
//
//	profiles.go  what a profile says, and profiles that cannot be used
//	fetch.go     profiles of a running service
//	bench.go     profiles of a benchmark
package profiles

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/pprof/profile"
)

// A Frame is a call in a stack.
type Frame struct {
	Func string // with the path of its package
	File string // as the profile has it
	Line int
}

// A Stack is calls, the innermost first.
type Stack []Frame

// An Allocation is what was allocated at one stack.
type Allocation struct {
	Stack          Stack
	Bytes, Objects float64
	InUse          float64 // bytes
}

// A Sample is processor time that was spent at one stack.
type Sample struct {
	Stack Stack
	Nanos float64
}

// A Set is the profiles of one run. Either may be missing.
type Set struct {
	Allocs  []Allocation
	CPU     []Sample
	Period  float64 // nanoseconds of processor time that a sample stands for
	program string  // of the first profile
}

// maxSize bounds the profile, as it is in the file and when it is unpacked. Those of large programs
// have some 10 MiB.
const maxSize = 64 << 20

// ReadFile adds the profile in a file.
func (s *Set) ReadFile(name string) error {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && strings.Contains(name, ":"):
		return fmt.Errorf("there is no file %s; the address of a service begins with http://", name)
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a file; the benchmarks of a package are profiled with --bench", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return err
	}
	if err := s.Add(data); err != nil {
		return fmt.Errorf("%s %w", name, err)
	}
	return nil
}

// Add adds a profile. Its errors continue a sentence that begins with the name of the profile.
func (s *Set) Add(data []byte) error {
	p, err := parse(data)
	if err != nil {
		return err
	}
	if err := s.sameProgram(p); err != nil {
		return err
	}
	switch kind := kindOf(p); {
	case kind == "allocs" && s.Allocs != nil, kind == "cpu" && s.CPU != nil:
		return fmt.Errorf("is a second profile of %s; one of allocs and one of cpu are needed, over the same time", kind)
	case kind == "allocs":
		return s.addAllocs(p)
	case kind == "cpu":
		s.CPU, s.Period, err = cpuSamples(p)
		return err
	default:
		return fmt.Errorf("is a profile of %s; one of allocs and one of cpu are needed", kind)
	}
}

func parse(data []byte) (*profile.Profile, error) {
	if len(data) == 0 {
		return nil, errors.New("is empty: the program has not ended, or did not stop its profile")
	}
	if len(data) > maxSize {
		return nil, fmt.Errorf("has more than %d MiB", maxSize>>20)
	}
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, fmt.Errorf("is damaged: %w", err)
		}
		data, err = io.ReadAll(io.LimitReader(z, maxSize+1))
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, errors.New("is cut short: copy it again, or let the program stop its profile before it ends")
		}
		if err != nil {
			return nil, fmt.Errorf("is damaged: %w", err)
		}
		if len(data) > maxSize {
			return nil, fmt.Errorf("has more than %d MiB", maxSize>>20)
		}
	}
	if isText(data) {
		return nil, errors.New("is text, and no profile in pprof's format: leave out debug=1")
	}
	p, err := profile.ParseUncompressed(data)
	if err == nil {
		err = p.CheckValid()
	}
	if err != nil {
		return nil, fmt.Errorf("is no profile, or is cut short (%w)", err)
	}
	if len(p.Sample) == 0 {
		return nil, errors.New("has no samples: the program did nothing in that time, or it was too short")
	}
	if len(p.Function) == 0 {
		return nil, errors.New("has no symbols: take it as net/http/pprof or go test writes it")
	}
	return p, nil
}

// isText reports whether the data begins as profiles with debug=1 and pages do.
func isText(data []byte) bool {
	for _, c := range data[:min(len(data), 64)] {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' || c >= 0x7f {
			return false
		}
	}
	return true
}

// kindOf returns allocs, cpu, or what else the profile counts.
func kindOf(p *profile.Profile) string {
	var types []string
	for _, t := range p.SampleType {
		switch t.Type {
		case "alloc_space":
			return "allocs"
		case "cpu":
			return "cpu"
		}
		types = append(types, t.Type)
	}
	return strings.Join(types, " and ")
}

// sameProgram compares the profile's program with that of the first one.
func (s *Set) sameProgram(p *profile.Profile) error {
	name := ""
	if len(p.Mapping) > 0 {
		name = filepath.Base(filepath.ToSlash(p.Mapping[0].File))
	}
	if name == "" || name == "." || strings.HasPrefix(name, "[") {
		return nil
	}
	if s.program == "" {
		s.program = name
	}
	if s.program != name {
		return fmt.Errorf("is of the program %s, and the profile before it of %s", name, s.program)
	}
	return nil
}

func (s *Set) addAllocs(p *profile.Profile) error {
	value := index(p, "alloc_space", "alloc_objects", "inuse_space")
	stacks := stacker{}
	for _, sample := range p.Sample {
		a := Allocation{
			Stack:   stacks.of(sample),
			Bytes:   value(sample, 0),
			Objects: value(sample, 1),
			InUse:   value(sample, 2),
		}
		if a.Bytes > 0 && len(a.Stack) > 0 {
			s.Allocs = append(s.Allocs, a)
		}
	}
	if s.Allocs == nil {
		return errors.New("has no allocations")
	}
	return nil
}

func cpuSamples(p *profile.Profile) ([]Sample, float64, error) {
	value := index(p, "cpu", "samples")
	stacks := stacker{}
	var samples []Sample
	var nanos, count float64
	for _, sample := range p.Sample {
		if n := value(sample, 0); n > 0 {
			samples = append(samples, Sample{stacks.of(sample), n})
			nanos += n
			count += max(value(sample, 1), 1)
		}
	}
	if samples == nil {
		return nil, 0, errors.New("has no processor time")
	}
	return samples, nanos / count, nil
}

// index returns a function for the values of the named types. What is missing or negative, as the
// difference of two profiles may be, is 0.
func index(p *profile.Profile, names ...string) func(*profile.Sample, int) float64 {
	at := make([]int, len(names))
	for i, name := range names {
		at[i] = -1
		for j, t := range p.SampleType {
			if t.Type == name {
				at[i] = j
			}
		}
	}
	return func(s *profile.Sample, i int) float64 {
		if at[i] < 0 || at[i] >= len(s.Value) {
			return 0
		}
		return math.Max(0, float64(s.Value[at[i]]))
	}
}

// A stacker makes stacks, and shares the frames of a location.
type stacker map[*profile.Location][]Frame

func (st stacker) of(s *profile.Sample) Stack {
	var stack Stack
	for _, l := range s.Location {
		frames, ok := st[l]
		if !ok {
			for _, line := range l.Line {
				if line.Function != nil {
					frames = append(frames, Frame{line.Function.Name, line.Function.Filename, int(line.Line)})
				}
			}
			st[l] = frames
		}
		stack = append(stack, frames...)
	}
	return stack
}
