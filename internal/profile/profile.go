// Package profile makes a profile of counts and bytes by stack, which go tool
// pprof reads, and publishes it in runtime/pprof, where net/http/pprof finds it.
//
// The profiles that a program can make with runtime/pprof have counts alone, and keep
// alive all that they count. The profiles made here have counts and bytes, and ask for
// their content when they are read.
//
// # Map
//
//	profile.go   a profile of samples, and its text
//	proto.go     the same as go tool pprof reads it
//	register.go  the profile octet of runtime/pprof
//	hook_*.go    how runtime/pprof is made to ask for content: unsafe, or its portable twin
package profile

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/octet-go/octet/internal/check"
)

// A Sample is a number of buffers that were acquired at one stack.
type Sample = check.Amount

// Write writes the samples. If debug is 0, it writes a profile in pprof's format: a
// gzipped protocol buffer with the sample types "buffers" (count) and "space"
// (bytes), of which pprof shows space by default. Otherwise it writes text, like that
// of the profiles of runtime/pprof.
//
// Samples with equal stacks are added up. Those with the most bytes come first. The
// notes are lines that explain the profile: the text begins with them, and go tool
// pprof -comments prints them.
func Write(w io.Writer, debug int, notes []string, samples []Sample) error {
	samples = merge(samples)
	if debug == 0 {
		return writeProto(w, notes, samples)
	}
	return writeText(w, notes, samples)
}

// merge returns one sample for each stack, in the order in which they are written. It
// does not change its argument.
func merge(samples []Sample) []Sample {
	samples = slices.Clone(samples)
	slices.SortFunc(samples, func(a, b Sample) int { return slices.Compare(a.Stack, b.Stack) })
	merged := samples[:0]
	for _, s := range samples {
		if n := len(merged); n > 0 && slices.Equal(merged[n-1].Stack, s.Stack) {
			merged[n-1].Count = add(merged[n-1].Count, s.Count)
			merged[n-1].Bytes = add(merged[n-1].Bytes, s.Bytes)
		} else {
			merged = append(merged, s)
		}
	}
	slices.SortStableFunc(merged, func(a, b Sample) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.Count, a.Count))
	})
	return merged
}

// total returns the sums of all samples.
func total(samples []Sample) (count, bytes int64) {
	for _, s := range samples {
		count = add(count, s.Count)
		bytes = add(bytes, s.Bytes)
	}
	return count, bytes
}

// add returns the sum of two numbers that are not negative, or the largest number if
// the sum is larger, as it may be of counts that were scaled up.
func add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// writeText writes the notes, and a line for each sample,
//
//	COUNT: BYTES @ ADDRESS...
//
// and one for each function of its stack.
func writeText(w io.Writer, notes []string, samples []Sample) error {
	var b strings.Builder
	count, bytes := total(samples)
	for _, note := range notes {
		fmt.Fprintf(&b, "# %s\n", note)
	}
	fmt.Fprintf(&b, "profile: %d buffers, %d bytes\n", count, bytes)
	for _, s := range samples {
		fmt.Fprintf(&b, "%d: %d @", s.Count, s.Bytes)
		for _, pc := range s.Stack {
			fmt.Fprintf(&b, " %#x", pc)
		}
		b.WriteString("\n")
		columns := tabwriter.NewWriter(&b, 1, 8, 1, '\t', 0)
		for f := range frames(s.Stack) {
			fmt.Fprintf(columns, "#\t%#x\t%s+%#x\t%s:%d\n", f.PC, f.Function, f.PC-f.Entry, f.File, f.Line)
		}
		columns.Flush()
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// frames yields the functions of a stack, including inlined ones, innermost first.
func frames(stack []uintptr) func(yield func(runtime.Frame) bool) {
	return func(yield func(runtime.Frame) bool) {
		if len(stack) == 0 {
			return
		}
		frames := runtime.CallersFrames(stack)
		for {
			f, more := frames.Next()
			if f.PC != 0 && !yield(f) || !more {
				return
			}
		}
	}
}
