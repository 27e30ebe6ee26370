package advise

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/octet-go/octet/cmd/octet/internal/advise/cost"
	"github.com/octet-go/octet/cmd/octet/internal/advise/profiles"
	"github.com/octet-go/octet/cmd/octet/internal/advise/source"
)

// verdict is what to do, in one sentence or two.
func (a *Advice) verdict(t *cost.Time) string {
	switch {
	case t == nil:
		return fmt.Sprintf("Pools could take over %.0f %% of the allocated bytes. What that saves cannot be said.", a.Bytes)
	case a.Saves == nil:
		return fmt.Sprintf("Allocating takes %.0f %% of the processor time and collecting %.0f %%. Which of it pooling saves cannot be said.",
			100*t.Allocating/t.Total, 100*t.Collecting()/t.Total)
	}
	saves := fmt.Sprintf("%s of the processor time (%s) and %.0f %% of the allocated bytes",
		percent(a.Saves.Range), a.Saves.withLargeHeap(), a.Bytes)
	switch {
	case a.Saves.most() < little && a.Unsure.most() < little:
		return "Leave it: pooling saves " + saves + "."
	case a.Saves.most() < little:
		return fmt.Sprintf("Read first: where it is not known who keeps the memory, pooling may save %[2]s; elsewhere it saves %[1]s.",
			saves, percent(a.Unsure.Range))
	case a.Saves.middle() < little:
		return "Little to gain: pooling can save " + saves + ". Measure before you change more than a few lines."
	}
	return "Pool it: pooling can save " + saves + "."
}

// withLargeHeap says what is saved with a large heap.
func (r *Saves) withLargeHeap() string {
	if r.LargeHeap == nil {
		return "unknown with a large heap: the profile of that run has no such allocation"
	}
	return percent(*r.LargeHeap) + " with a large heap"
}

// percent prints a range, with a decimal where it is small.
func percent(r cost.Range) string {
	digits := 0
	if r.High < 10 {
		digits = 1
	}
	return fmt.Sprintf("%.*f to %.*f %%", digits, r.Low, digits, r.High)
}

// missing says what cannot be said without a profile.
func missing(set *profiles.Set) string {
	switch {
	case set.CPU == nil:
		return "There is no profile of processor time. Take one of the same time: go test -cpuprofile, or /debug/pprof/profile?seconds=30."
	case set.Allocs == nil:
		return "There is no profile of allocations, so that no site is known. Take one of the same time: go test -memprofile, or /debug/pprof/allocs?seconds=30."
	}
	return ""
}

// foreign is the error for profiles that show nothing of the module.
func foreign(tree *source.Tree, set *profiles.Set) error {
	bytes := make(map[string]float64)
	for _, a := range set.Allocs {
		for _, f := range a.Stack {
			if module := source.ModuleOf(f); module != "" {
				bytes[module] += a.Bytes
				break
			}
		}
	}
	most := slices.SortedFunc(maps.Keys(bytes), func(a, b string) int { return cmp.Or(cmp.Compare(bytes[b], bytes[a]), cmp.Compare(a, b)) })
	of := "the standard library alone"
	if len(most) > 0 {
		of = strings.Join(most[:min(len(most), 3)], ", ")
	}
	return fmt.Errorf("nothing in the profile is of module %s, but of %s; run octet advise in the program's module, or name it with --dir", tree.Module, of)
}
