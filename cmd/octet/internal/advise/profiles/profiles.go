// Package profiles reads the profiles of a program: from files, from a service, and from
// a benchmark that it runs.
//
// # Map
//
//	profiles.go  what a profile says, and profiles that cannot be used
//	fetch.go     profiles of a running service
//	bench.go     profiles of a benchmark
//	against.go   a benchmark before a change and after it
package profiles

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

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
	Samples float64
	Took    time.Duration // of the profile of processor time, 0 if it does not say
	program string        // of the first profile
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
	case info.Size() > maxSize:
		return fmt.Errorf("%s has more than %d MiB", name, maxSize>>20)
	}
	data, err := os.ReadFile(name)
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
		return s.addCPU(p)
	default:
		return fmt.Errorf("is a profile of %s; one of allocs and one of cpu are needed", kind)
	}
}

func parse(data []byte) (p *profile.Profile, err error) {
	if len(data) == 0 {
		return nil, errors.New("is empty: the program has not ended, or did not stop its profile")
	}
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err == nil {
			data, err = io.ReadAll(io.LimitReader(z, maxSize+1))
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, errors.New("is cut short: copy it again, or let the program stop its profile before it ends")
		}
		if err != nil {
			return nil, fmt.Errorf("is damaged: %w", err)
		}
	}
	if len(data) > maxSize {
		return nil, fmt.Errorf("has more than %d MiB", maxSize>>20)
	}
	if p, err = profile.ParseUncompressed(data); err == nil {
		err = p.CheckValid()
	}
	switch {
	case err != nil && strings.HasPrefix(http.DetectContentType(data), "text/"):
		return nil, errors.New("is text, and no profile in pprof's format: leave out debug=1")
	case err != nil:
		return nil, fmt.Errorf("is no profile, or is cut short (%w)", err)
	case len(p.Sample) == 0:
		return nil, errors.New("has no samples: the program did nothing in that time, or it was too short")
	case len(p.Function) == 0:
		return nil, errors.New("has no symbols: take it as net/http/pprof or go test writes it")
	}
	return p, nil
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
	bytes, objects, inUse := values(p, "alloc_space"), values(p, "alloc_objects"), values(p, "inuse_space")
	for _, sample := range p.Sample {
		a := Allocation{stack(sample), bytes(sample), objects(sample), inUse(sample)}
		if a.Bytes > 0 && len(a.Stack) > 0 {
			s.Allocs = append(s.Allocs, a)
		}
	}
	if s.Allocs == nil {
		return errors.New("has no allocations")
	}
	return nil
}

func (s *Set) addCPU(p *profile.Profile) error {
	nanos, count := values(p, "cpu"), values(p, "samples")
	var total, n float64
	for _, sample := range p.Sample {
		if t := nanos(sample); t > 0 {
			s.CPU = append(s.CPU, Sample{stack(sample), t})
			total += t
			n += max(count(sample), 1)
		}
	}
	if s.CPU == nil {
		return errors.New("has no processor time")
	}
	s.Period, s.Samples, s.Took = total/n, n, max(0, time.Duration(p.DurationNanos))
	return nil
}

// values returns a function for the values of a type. What is missing, or negative as the difference of two profiles
// may be, is 0.
func values(p *profile.Profile, name string) func(*profile.Sample) float64 {
	i, err := p.SampleIndexByName(name)
	return func(s *profile.Sample) float64 {
		if err != nil {
			return 0
		}
		return max(0, float64(s.Value[i]))
	}
}

func stack(s *profile.Sample) (stack Stack) {
	for _, l := range s.Location {
		for _, line := range l.Line {
			if line.Function != nil {
				stack = append(stack, Frame{line.Function.Name, line.Function.Filename, int(line.Line)})
			}
		}
	}
	return stack
}
