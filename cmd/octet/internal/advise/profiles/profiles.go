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
	"errors"
	"fmt"
	"os"
	"path"
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

// ReadFile adds the profile in a file.
func (s *Set) ReadFile(name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("%w; the address of a service begins with http://, and the benchmarks of a package are profiled with --bench", err)
	}
	if err := s.Add(data); err != nil {
		return fmt.Errorf("%s %w", name, err)
	}
	return nil
}

// Add adds a profile. Its errors continue a sentence that begins with the name of the profile.
func (s *Set) Add(data []byte) error {
	p, err := profile.ParseData(data)
	switch {
	case err != nil:
		return fmt.Errorf("is no profile, or is cut short, as that of a program which has not ended: %w", err)
	case len(p.Sample) == 0:
		return errors.New("has no samples: the program did nothing in that time, or it was too short")
	case len(p.Function) == 0:
		return errors.New("has no symbols: take it as net/http/pprof or go test writes it, without debug=1")
	}
	if name := program(p); s.program != "" && name != "" && s.program != name {
		return fmt.Errorf("is of the program %s, and the profile before it of %s", name, s.program)
	} else if name != "" {
		s.program = name
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

// program returns the name of the profile's program, or "" if it does not say.
func program(p *profile.Profile) string {
	if len(p.Mapping) == 0 || strings.HasPrefix(p.Mapping[0].File, "[") {
		return ""
	}
	return strings.TrimPrefix(path.Base(filepath.ToSlash(p.Mapping[0].File)), ".")
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
