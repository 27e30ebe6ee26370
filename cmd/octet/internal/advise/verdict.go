package advise

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/octet-go/octet/cmd/octet/internal/advise/cost"
	"github.com/octet-go/octet/cmd/octet/internal/advise/profiles"
	"github.com/octet-go/octet/cmd/octet/internal/advise/source"
)

// verdict is what to do, in one sentence or two.
func (a *Advice) verdict() string {
	if len(a.Sites) == 0 {
		const hardly = "the module itself allocates no bytes that a pool could hold, or hardly any."
		if a.Elsewhere.middle() >= little {
			return "Not here: " + hardly + dependencies + a.Elsewhere.text() + "."
		}
		return "Leave it: " + hardly
	}
	saves := a.Saves.text() + fmt.Sprintf(" and %.0f %% of the allocated bytes", a.Bytes)
	switch most := max(a.Saves.most(), a.Callers.most(), a.Unsure.most()); {
	case most < little && a.Elsewhere.middle() >= little:
		return "Not here: pooling saves " + saves + "." + dependencies + a.Elsewhere.text() + "."
	case most < little:
		return "Leave it: pooling saves " + saves + "."
	case a.Saves.most() < little && a.Callers.most() >= little:
		return "Change the API first: pooling can save " + a.Callers.text() + ", but the callers of " + a.exported() + " must release what it returns."
	case a.Bytes == 0:
		return "Read first: pooling may save " + a.Unsure.text() + ", but it is not known who keeps the memory."
	case a.Saves.most() < little:
		return "Read first: where it is not known who keeps the memory, pooling may save " + a.Unsure.text() + ". Elsewhere it saves " + saves + "."
	case a.Saves.middle() < little:
		return "Little to gain: pooling can save " + saves + ". Measure before you change more than a few lines."
	}
	return "Pool it: pooling can save " + saves + "."
}

const dependencies = " Its dependencies do: ask their authors for pools, fork or replace them, which would save "

// text says what is saved of the processor time.
func (r *Saves) text() string {
	return fmt.Sprintf("%s of the processor time (%s)", percent(r.Range), r.withLargeHeap())
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

// exported names the functions whose callers have to release.
func (a *Advice) exported() string {
	var names []string
	for _, s := range a.Sites {
		if s.Exported != "" && !slices.Contains(names, s.Exported) {
			names = append(names, s.Exported)
		}
	}
	return strings.Join(names, ", ")
}

// weak says that a profile is short, or of a program that was idle.
func weak(set *profiles.Set) string {
	switch busy := time.Duration(set.Samples * set.Period); {
	case set.Samples == 0:
		return ""
	case set.Took > 0 && busy.Seconds() < idle*set.Took.Seconds():
		return fmt.Sprintf("The program was idle: it took %.1f s of processor time in %.1f s, which is %.0f samples. Profile it under load.",
			busy.Seconds(), set.Took.Seconds(), set.Samples)
	case set.Samples < few:
		return fmt.Sprintf("The profile of processor time is short: it has %.0f samples. Profile for longer.", set.Samples)
	}
	return ""
}

// notRun says which benchmarks did not run.
func notRun(names []string) string {
	if len(names) == 0 {
		return ""
	}
	list := strings.Join(names[:min(len(names), 5)], ", ")
	if more := len(names) - 5; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return "Not run, for there was no time: " + list + ". More --seconds run them."
}

// foreign is the error for profiles that show nothing of the module.
func foreign(tree *source.Tree, set *profiles.Set) error {
	weight, of := make(map[string]float64), "the standard library alone"
	for _, a := range set.Allocs {
		if k := tree.Foreign(a.Stack); k >= 0 {
			module := source.ModuleOf(a.Stack[k])
			if weight[module] += a.Bytes; weight[module] > weight[of] {
				of = module
			}
		}
	}
	return fmt.Errorf("nothing in the profile is of module %s, but of %s; run octet advise in the program's module, or name it with --dir", tree.Module, of)
}
