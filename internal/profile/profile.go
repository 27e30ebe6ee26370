// Package profile makes a profile of counts and bytes by stack, which go tool
// pprof reads, and publishes it in runtime/pprof, where net/http/pprof finds it.
//
// The profiles that a program can make with runtime/pprof have counts alone, and keep
// alive all that they count. The profiles made here have counts and bytes, and ask for
// their content when they are read.
//
// # Map
//
//	profile.go  the profile of octet's pools; a profile of samples, and its text
//	proto.go    the same as go tool pprof reads it
//	hook_*.go   how runtime/pprof is made to ask for content: unsafe, or its portable twin
package profile

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/octet-go/octet/checked/finding"
	"github.com/octet-go/octet/internal/check"
)

// Octet writes the profile of what is in use of octet's pools, or of one of them if o is
// not nil, as [Write] does.
func Octet(w io.Writer, debug int, o check.Owner) error {
	notes := check.Notes()
	if o != nil {
		notes = append(notes, fmt.Sprintf("Of one pool alone, with the name %q.", o.Name()))
	}
	return Write(w, debug, notes, check.InUse(o))
}

// Publish adds the profile of octet's pools to runtime/pprof, once. Where that cannot be
// made to ask for content (see hook), Publish does nothing and returns false.
//
// The index of net/http/pprof lists the profile without a description. It has those in
// a map for the profiles that come with Go, which it does not export, and which the
// linker lets no other package reach.
func Publish() bool {
	count := func() int {
		n, _ := total(check.InUse(nil))
		return int(min(n, math.MaxInt))
	}
	return hook("octet", count, func(w io.Writer, debug int) error { return Octet(w, debug, nil) })
}

// Write writes the samples. If debug is 0, it writes a profile in pprof's format: a
// gzipped protocol buffer with the sample types "buffers" (count) and "space"
// (bytes), of which pprof shows space by default. Otherwise it writes text, like that
// of the profiles of runtime/pprof.
//
// Samples with equal stacks are added up. Those with the most bytes come first; Write
// reorders samples. The notes are lines that explain the profile: the text begins with
// them, and go tool pprof -comments prints them.
func Write(w io.Writer, debug int, notes []string, samples []check.Amount) error {
	samples = merge(samples)
	if debug == 0 {
		return writeProto(w, notes, samples)
	}
	return writeText(w, notes, samples)
}

// merge makes one sample of those with one stack, in the order in which they are written.
func merge(samples []check.Amount) []check.Amount {
	slices.SortFunc(samples, func(a, b check.Amount) int { return slices.Compare(a.Stack, b.Stack) })
	merged := samples[:0]
	for _, s := range samples {
		if n := len(merged); n > 0 && slices.Equal(merged[n-1].Stack, s.Stack) {
			merged[n-1].Count += s.Count
			merged[n-1].Bytes += s.Bytes
		} else {
			merged = append(merged, s)
		}
	}
	slices.SortStableFunc(merged, func(a, b check.Amount) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.Count, a.Count))
	})
	return merged
}

// total returns the sums of all samples.
func total(samples []check.Amount) (count, bytes int64) {
	for _, s := range samples {
		count += s.Count
		bytes += s.Bytes
	}
	return count, bytes
}

// writeText writes the notes, a line for each sample, and one for each function of its
// stack.
func writeText(w io.Writer, notes []string, samples []check.Amount) error {
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
		for _, f := range (finding.Stack{PCs: s.Stack}).Frames() {
			fmt.Fprintf(&b, "#\t%#x\t%s+%#x\t%s:%d\n", f.PC, f.Function, f.PC-f.Entry, f.File, f.Line)
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
