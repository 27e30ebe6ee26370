package check

import (
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/testenv"
)

// TestLookIsInlined pins what the pools' slow paths pay in mode off.
func TestLookIsInlined(t *testing.T) {
	testenv.Compile(t, "-m").WantInlined(t, "Current", "load")
}

// A look is what a pool sees that is notified.
type look struct {
	mode   Mode
	closes bool
	epoch  uint32 // since the test began
	strict bool   // whether slices may be foreign
}

// TestStepsOfAChange sees in which order a change takes effect: see type state.
func TestStepsOfAChange(t *testing.T) {
	before, _ := Set(Config{})
	defer Set(before)
	start := choice.lastEpoch
	see := func() look {
		s := load()
		return look{s.Mode, s.closes, max(s.epoch, start) - start, s.strictSince < math.MaxUint64}
	}
	var seen []look
	OnChange(func() { seen = append(seen, see()) })
	defer func() { choice.watchers = choice.watchers[:len(choice.watchers)-1] }()
	for _, step := range []struct {
		c    Config
		seen []look
		then look
	}{
		{Config{Mode: Full}, []look{{Off, true, 0, true}, {Full, true, 1, false}}, look{Full, true, 1, true}},
		{Config{Mode: Full, Action: ActionLog}, []look{{Full, true, 1, true}}, look{Full, true, 1, true}},
		{Config{Mode: Sample}, []look{{Sample, false, 2, false}}, look{Sample, false, 2, true}},
		{Config{Mode: Sample, OneIn: 7}, []look{{Sample, false, 2, true}}, look{Sample, false, 2, true}},
		{Config{Mode: Sample, OneIn: 1}, []look{{Sample, true, 2, true}}, look{Sample, true, 2, true}},
		{Config{Mode: Full}, []look{{Full, true, 3, false}}, look{Full, true, 3, true}},
		{Config{}, []look{{Off, false, 0, true}}, look{Off, false, 0, true}},
		{Config{}, []look{{Off, false, 0, true}}, look{Off, false, 0, true}},
		{Config{Mode: Sample, OneIn: 1}, []look{{Off, true, 0, true}, {Sample, true, 5, false}}, look{Sample, true, 5, true}},
	} {
		seen = nil
		if Set(step.c); !slices.Equal(seen, step.seen) || see() != step.then {
			t.Errorf("%+v: pools see %+v, and then it is %+v; want %+v and %+v", step.c, seen, see(), step.seen, step.then)
		}
	}
	pool := NewPoolID()
	if Set(Config{Mode: Full}); load().strictSince != pool+1 {
		t.Errorf("slices may be foreign from pool %d on, and the latest is %d", load().strictSince, pool)
	}
	if Set(Config{}); current.Load() != nil {
		t.Error("mode off has a state")
	}
}

// TestLateRecordIsPast sees that what somebody tracks who looked at the mode before
// it changed says nothing in the new one.
func TestLateRecordIsPast(t *testing.T) {
	find := finds(t, Config{Mode: Full})
	late := load()
	Set(Config{Mode: Sample})
	Set(Config{Mode: Full})
	for what, release := range map[string]func(b []byte){
		"a part of it": func(b []byte) { Release(b[8:16:16], stubOwner{}) },
		"it":           func(b []byte) { Release(b, stubOwner{}) },
	} {
		b := make([]byte, 64)
		r := &record{base: rt.Address(b), extent: len(b), kind: Slice}
		r.begin(late.epoch, stubOwner{}, len(b), nil)
		track(r)
		if n := len(new(Scope).Outstanding()); n != 0 {
			t.Errorf("%d are outstanding, and nothing was handed out", n)
		}
		if codes := find(func() { release(b) }); len(codes) > 0 {
			t.Errorf("%s is released: found %v", what, codes)
		}
		remove(r)
	}
}

// TestSees sees whose release is looked at.
func TestSees(t *testing.T) {
	before, _ := Set(Config{})
	defer Set(before)
	for _, c := range []struct {
		mode        Mode
		size        int
		wantOther   bool // a slice like any other
		wantSampled bool
	}{{Off, 4096, false, false}, {Sample, 4096, false, true}, {Full, 4096, true, true}, {Guard, 64, true, true}, {Sample, 64, false, true}} {
		Set(Config{Mode: c.mode})
		if got := Sees(plainBytes(c.size)); got != c.wantOther && testenv.BuildSetting("-asan") != "true" {
			t.Errorf("mode %v: it sees a slice of %d bytes: %v", c.mode, c.size, got)
		}
		// A pool may ask for a slice because of a mode that has ended meanwhile.
		b := New(c.size, stubOwner{})
		if r := around(rt.Address(b)); (r != nil) != c.wantOther {
			t.Errorf("mode %v: New(%d) is tracked: %v; its release would not be seen", c.mode, c.size, r != nil)
		}
		runtime.KeepAlive(b)
		if got := Sees(displaced(c.size)); got != c.wantSampled {
			t.Errorf("mode %v: it sees a sampled slice of %d bytes: %v", c.mode, c.size, got)
		}
	}
}

// A numbered is a pool of that number.
type numbered struct {
	stubOwner
	id uint64
}

func (n numbered) ID() uint64 { return n.id }

func TestReportsForeign(t *testing.T) {
	s := state{Config: Config{Mode: Full, Foreign: true}, strictSince: 5}
	for id, want := range map[uint64]bool{4: false, 5: true, 6: true} {
		if got := s.reportsForeign(numbered{id: id}); got != want {
			t.Errorf("pool %d, strict since pool 5: %v", id, got)
		}
	}
	s.Foreign = false
	if s.reportsForeign(numbered{id: 6}) {
		t.Error("foreign slices are reported though that was not chosen")
	}
}
