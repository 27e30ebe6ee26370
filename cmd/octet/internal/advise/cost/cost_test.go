package cost

import (
	"math"
	"strings"
	"testing"

	"github.com/octet-go/octet/cmd/octet/internal/advise/profiles"
	"github.com/octet-go/octet/internal/testenv"
)

func TestFileMap(t *testing.T) { testenv.WantFileMap(t) }

func stack(names string) (s profiles.Stack) {
	for _, name := range strings.Fields(names) {
		s = append(s, profiles.Frame{Func: name})
	}
	return s
}

// The stacks are of profiles of Go 1.26 and 1.27.
func TestClassify(t *testing.T) {
	for _, tt := range []struct {
		stack string
		want  class
		first string // of the stack that is left
	}{
		{"runtime.memclrNoHeapPointers runtime.mallocgcLarge runtime.mallocgc runtime.makeslice m.f m.main", allocating, "m.f"},
		{"runtime.memmove runtime.growslice bytes.growSlice bytes.(*Buffer).grow m.f", allocating, "bytes.growSlice"},
		{"runtime.(*sweepLocked).sweep runtime.(*mcentral).cacheSpan runtime.mallocgc runtime.newobject m.f", allocating, "m.f"},
		{"runtime.memmove bytes.growSlice m.f", allocating, "bytes.growSlice"},
		{"runtime.memclrNoHeapPointers io.ReadAll m.f", allocating, "io.ReadAll"},
		{"io.ReadAll m.f", allocating, "io.ReadAll"},
		{"bytes.(*Reader).Read io.ReadAll m.f", other, ""},
		{"runtime.memmove bytes.(*Buffer).Write m.f", other, ""},
		{"runtime.memclrNoHeapPointers m.f", other, ""},
		{"runtime.scanobject runtime.gcDrainN runtime.gcAssistAlloc1 runtime.systemstack runtime.gcAssistAlloc runtime.mallocgc runtime.makeslice m.f", marking, ""},
		{"runtime.gcBgMarkWorker", marking, ""},
		{"runtime.scanObject runtime.gcDrain runtime.gcBgMarkWorker.func2 runtime.systemstack runtime.gcBgMarkWorker", marking, ""},
		{"runtime.wbBufFlush1 runtime.wbBufFlush m.f", marking, ""},
		{"runtime.(*sweepLocked).sweep runtime.sweepone runtime.bgsweep", sweeping, ""},
		{"runtime.madvise runtime.sysUnused runtime.(*pageAlloc).scavengeOne runtime.bgscavenge", sweeping, ""},
		{"runtime.futex runtime.findRunnable runtime.schedule runtime.park_m runtime.mcall", scheduling, ""},
		{"runtime.asyncPreempt m.f", scheduling, ""},
		{"runtime.chansend1 m.f", other, ""},
		{"m.f m.main", other, ""},
		{"runtime.unknown", other, ""},
		{"", other, ""},
	} {
		got, left := classify(stack(tt.stack))
		first := ""
		if len(left) > 0 {
			first = left[0].Func
		}
		if got != tt.want || first != tt.first {
			t.Errorf("%s: %d, %q; want %d, %q", tt.stack, got, first, tt.want, tt.first)
		}
	}
}

// machine takes 10 ns for a pair, and 0.1 or 0.2 ns for a byte of cold memory, which is most of what filling it takes.
var machine = &Machine{pair: 10, cold: [2]float64{0.1, 0.2}, part: [2]float64{0.9, 0.9}}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-6 {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// measured returns the time of a program that takes 100 ms, and what the sites in m.f and m.g took of it.
func measured() (*Time, map[string]float64) {
	set := &profiles.Set{Period: 1e4}
	for _, s := range []struct {
		stack string
		nanos float64
	}{
		{"runtime.mallocgc runtime.makeslice m.f", 20e6},
		{"runtime.mallocgc runtime.newobject m.g", 5e6},
		{"runtime.gcBgMarkWorker", 10e6},
		{"runtime.bgsweep", 6e6},
		{"runtime.schedule", 9e6},
		{"m.f", 50e6},
	} {
		set.CPU = append(set.CPU, profiles.Sample{Stack: stack(s.stack), Nanos: s.nanos})
	}
	direct := make(map[string]float64)
	return Measure(set, func(s profiles.Stack, nanos float64) { direct[s[0].Func] += nanos }), direct
}

func TestMeasure(t *testing.T) {
	time, direct := measured()
	if direct["m.f"] != 20e6 || direct["m.g"] != 5e6 || time.Total != 100e6 || time.Allocating != 25e6 || time.Collecting() != 16e6 {
		t.Fatalf("%v, %+v", direct, time)
	}
}

func TestModel(t *testing.T) {
	time, _ := measured()
	use := Use{Bytes: 50e6, Objects: 50e3, Direct: 20e6}
	parts, saves := time.Of(use, 100e6, machine, false)
	near(t, "allocating", parts.Allocating, 20)
	near(t, "collecting", parts.Collecting, 8) // half of the bytes
	near(t, "scheduling", parts.Scheduling, 0.5*9/2)
	near(t, "cold memory", parts.Cold, 5) // 50 MB at 0.1 ns
	near(t, "pool", parts.Pool, 0.5)      // 50,000 pairs of 10 ns
	near(t, "the middle", (saves.Low+saves.High)/2, 20+8+2.25+5-0.5)
	if saves.High-saves.Low < 2*most || saves.High-saves.Low > 2*widest {
		t.Errorf("saves %+v", saves)
	}
	// Of a server's cold memory half counts; what a benchmark's run with a large heap took is measured.
	if parts, _ := time.Of(use, 100e6, machine, true); parts.Cold != 5 {
		t.Errorf("cold memory of a server takes %v %%", parts.Cold)
	}
	time.compared = true
	if _, large := time.Of(use, 100e6, machine, true); large.High <= saves.High {
		t.Errorf("colder memory saves %+v, in place of %+v", large, saves)
	}
	if _, rare := time.Scale(0.1).Of(use, 100e6, machine, false); rare.High >= saves.High {
		t.Errorf("with fewer collections it saves %+v, in place of %+v", rare, saves)
	}
	// Tiny objects are dearer in a pool than what they cost.
	if _, tiny := time.Of(Use{Bytes: 1e6, Objects: 1e6, Direct: 1e6}, 100e6, machine, false); tiny.High >= 0 {
		t.Errorf("tiny objects save %+v", tiny)
	}
	// However many bytes there are, cold memory costs at most a part of the time that the program does not spend on allocating.
	if parts, _ := time.Of(Use{Bytes: 1e9, Objects: 1, Direct: 1}, 1e9, machine, false); parts.Cold != 45 {
		t.Errorf("cold memory takes %v %%", parts.Cold)
	}
	if _, none := new(Time).Of(use, 0, machine, false); none != (Range{}) {
		t.Errorf("of nothing: %+v", none)
	}
	// What hardly costs anything may save something or not.
	if _, little := time.Of(Use{Bytes: 1e4, Objects: 10}, 100e6, machine, false); little.Low > -0.9 || little.High < 0.9 || little.High > 1.5 {
		t.Errorf("little saves %+v", little)
	}
	// With fewer samples less is known.
	rough, _ := measured()
	rough.period = 1e6
	if _, wide := rough.Of(use, 100e6, machine, false); wide.High-wide.Low <= saves.High-saves.Low || wide.High-wide.Low > 2*widest {
		t.Errorf("of 100 samples it saves %+v, of 10,000 %+v", wide, saves)
	}
}

// What scheduling remains with a large heap is the program's own.
func TestCompare(t *testing.T) {
	own, _ := measured()
	large, _ := measured()
	large.scheduling = 2e6
	own.Compare(large, 2) // the large run did half of the work
	near(t, "caused", own.caused, 5e6)
	near(t, "caused with a large heap", large.caused, 5e6/2/16)
	large.scheduling = 20e6
	own.Compare(large, 2)
	near(t, "caused where a large heap makes no difference", own.caused, 0)
}

// A server that is half idle schedules much, which its collector does not cause; with fewer collections it saves less.
func TestIdle(t *testing.T) {
	set := &profiles.Set{Period: 1e4}
	for _, s := range []struct {
		stack string
		nanos float64
	}{{"runtime.mallocgc runtime.makeslice m.f", 5e6}, {"runtime.gcBgMarkWorker", 5e6}, {"runtime.findRunnable runtime.schedule", 60e6}, {"m.f", 30e6}} {
		set.CPU = append(set.CPU, profiles.Sample{Stack: stack(s.stack), Nanos: s.nanos})
	}
	time := Measure(set, func(profiles.Stack, float64) {})
	use := Use{Bytes: 1e6, Objects: 1, Direct: 5e6}
	parts, saves := time.Of(use, 1e6, machine, false)
	near(t, "scheduling", parts.Scheduling, 2.5)
	if _, large := time.Scale(1.0/16).Of(use, 1e6, machine, true); large.High >= saves.High {
		t.Errorf("with a large heap it saves %+v, as profiled %+v", large, saves)
	}
}

func TestCalibrate(t *testing.T) {
	m := calibrate(4 << 20)
	if m.pair <= 0 || math.IsInf(m.pair, 0) {
		t.Errorf("a pair takes %v ns", m.pair)
	}
	for heap := range m.cold {
		if c, p := m.cold[heap], m.part[heap]; c < 0 || math.IsInf(c, 0) || p < 0 || p >= 1 {
			t.Errorf("a byte of cold memory takes %v ns, which is %v of filling it", c, p)
		}
	}
}
