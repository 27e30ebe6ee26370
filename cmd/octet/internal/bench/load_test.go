package bench

import (
	"os"
	"runtime"
	"testing"
	"testing/fstest"
)

func TestLoad(t *testing.T) {
	proc := func(machine, self string) fstest.MapFS {
		return fstest.MapFS{"stat": {Data: []byte(machine)}, "self/stat": {Data: []byte(self)}}
	}
	const self = "7 (a (b) name) R 1 7 7 0 -1 4194560 100 0 0 0 300 40 5 6 20 0 1 0 100"
	before, ok := readLoad(proc("cpu  1000 10 200 5000 50 5 5 30 900 0\ncpu0 1 2 3\n", self))
	if want := (load{all: 6300, idle: 5050, own: 351}); !ok || before != want {
		t.Errorf("%+v, %v, want %+v", before, ok, want)
	}
	for _, none := range []fstest.MapFS{{}, proc("", self), proc("cpu 1 2 3", self), proc("cpu 1 2 3 4 5 6 7 8", "7 (x"), {"stat": {Data: []byte("cpu 1 2 3 4 5 6 7 8")}}} {
		if l, ok := readLoad(none); ok {
			t.Errorf("%v gives %+v", none, l)
		}
	}
	for _, tt := range []struct {
		name           string
		all, idle, own float64
		want           float64
	}{
		{"nothing ran", 0, 0, 0, 0},
		{"alone on two processors", 200, 95, 100, 0},
		{"alone on all", 200, 0, 199, 0},
		{"beside another on two", 200, 0, 100, 0.5},
		{"beside many on many", 6400, 3000, 100, 0},
		{"beside one on all", 200, 2, 168, 0.15},
	} {
		if got := others(load{}, load{tt.all, tt.idle, tt.own}); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	if runtime.GOOS == "linux" {
		if l, ok := readLoad(os.DirFS("/proc")); !ok || l.all <= l.idle || l.own > l.all {
			t.Errorf("of this machine: %+v, %v", l, ok)
		}
	}
}
