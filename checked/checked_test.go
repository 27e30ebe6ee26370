package checked_test

import (
	"errors"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/checked"
	"github.com/octet-go/octet/internal/testenv"
)

// TestSampleFromTheStart sees that requests are sampled if the environment asks for
// that. It runs itself as another process.
func TestSampleFromTheStart(t *testing.T) {
	if checked.Current().Mode == checked.Sample {
		for began := time.Now(); checked.Current().Probability == 0; {
			for range 10_000 {
				bytespool.Release(bytespool.New(4096))
			}
			if time.Since(began) > 20*time.Second {
				t.Fatal("no request is sampled")
			}
		}
		return
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	testenv.NeedsExec(t)
	c := exec.Command(exe, "-test.run=^TestSampleFromTheStart$")
	c.Env = append(os.Environ(), "OCTETDEBUG=check=sample")
	if out, err := c.CombinedOutput(); errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	} else if err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
}

func TestStartRefuses(t *testing.T) {
	before := checked.Current().Mode
	for want, o := range map[string]checked.Options{
		"checked: Mode is 7, which is unknown: use Off, Sample, Full or Guard":      {Mode: 7},
		"checked: OneIn is -1: use 1 or more, or 0 for 1024":                        {Mode: checked.Full, OneIn: -1},
		"checked: MaxGuarded is -1: use 1 or more, or 0 for what the system allows": {Mode: checked.Guard, MaxGuarded: -1},
		"checked: Action is 3, which is unknown: use Default, Panic or Log":         {Action: 3},
	} {
		if _, err := checked.Start(o); err == nil || err.Error() != want {
			t.Errorf("Start(%+v) = %v, want %s", o, err, want)
		}
		if m := checked.Current().Mode; m != before {
			t.Errorf("Start(%+v) changed the mode to %v", o, m)
		}
	}
}

// TestStopInAnyOrder sees that settings that were stopped never come back: neither
// when settings that started earlier stop later, nor when stop is called twice.
func TestStopInAnyOrder(t *testing.T) {
	var stops []func()
	start := func(m checked.Mode) {
		stop, err := checked.Start(checked.Options{Mode: m, OneIn: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		stops = append(stops, stop)
	}
	mode := func(when string, want checked.Mode) {
		t.Helper()
		if got := checked.Current().Mode; got != want {
			t.Errorf("%s: mode %v, want %v", when, got, want)
		}
	}
	before := checked.Current().Mode
	start(checked.Full)
	start(checked.Sample)
	stops[0]()
	mode("the first of two has stopped", checked.Sample)
	stops[0]()
	mode("it has stopped twice", checked.Sample)
	start(checked.Full)
	stops[2]()
	mode("the third has stopped", checked.Sample)
	stops[1]()
	mode("all have stopped", before)
	stops[2]()
	stops[1]()
	mode("all have stopped twice", before)
}

// The status says how many requests were tracked, in mode sample alone.
func TestTracked(t *testing.T) {
	stop, err := checked.Start(checked.Options{Mode: checked.Sample, OneIn: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	pool := bytespool.NewPool(bytespool.WithSizes(64, 1<<20))
	for range 1000 {
		pool.Release(pool.New(1000))
	}
	if s := checked.Current(); s.Tracked < 32 || s.Tracked > 500 || s.Requests < 1000 {
		t.Errorf("%d of %d requests were tracked, want 32 of 1000 or some more of other pools", s.Tracked, s.Requests)
	}
	stop()
	if s := checked.Current(); s.Mode != checked.Sample && (s.Tracked != 0 || s.Requests != 0) {
		t.Errorf("in mode %v %d of %d", s.Mode, s.Tracked, s.Requests)
	}
}
