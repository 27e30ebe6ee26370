//go:build (linux || darwin || freebsd || netbsd || dragonfly) && !race && !msan && !asan && !octet_purego

package postmortem

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

func newTestTable(t *testing.T) *Table {
	t.Helper()
	tab, err := NewTable()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tab.Close)
	return tab
}

func TestEntry(t *testing.T) {
	tab := newTestTable(t)
	pcs := callers()
	long := strings.Repeat("x", 100)
	i := tab.Acquire(0x7000_0f00, 0x100, 0xd8, long, pcs)
	e := &tab.entries[i]
	if e.start != 0x7000_0f00 || e.size != 0x100 || e.shown != 0xd8 || e.state != live || e.acquiredAt == 0 {
		t.Errorf("got %+v", e)
	}
	if got := string(e.name[:e.nameLen]); got != long[:48] {
		t.Errorf("the name is %q", got)
	}
	if got := absolute(e.acquired[:e.acquiredLen]); !slices.Equal(got, pcs[:min(len(pcs), 20)]) {
		t.Errorf("got program counters %#x, want %#x", got, pcs)
	}
	tab.Release(i, pcs[1:])
	e = &tab.entries[liveEntries]
	if e.state != freed || e.releasedAt < e.acquiredAt {
		t.Errorf("got %+v", e)
	}
	if got := absolute(e.released[:e.releasedLen]); !slices.Equal(got, pcs[1:min(len(pcs), 21)]) {
		t.Errorf("got program counters %#x, want %#x", got, pcs[1:])
	}
	var many [100]uintptr
	for i := range many {
		many[i] = anchor
	}
	if i = tab.Acquire(1, 1, 1, "", many[:]); tab.entries[i].acquiredLen != 20 || tab.entries[i].nameLen != 0 {
		t.Errorf("got %+v", tab.entries[i])
	}
}

// TestHistory: the table has what is live, and the last that were freed.
func TestHistory(t *testing.T) {
	tab := newTestTable(t)
	const page = 4096
	kept := tab.Acquire(page, page, page, "", nil)
	at := func(i int) uint64 { return uint64(1+2*i) * page }
	for i := 1; i < 3*history; i++ {
		tab.Release(tab.Acquire(uintptr(at(i)), page, page, "", nil), nil)
		if i%1024 != 0 {
			continue
		}
		for _, old := range []int{i, max(1, i-history+1)} {
			if find(tab.entries, at(old), page) == nil {
				t.Fatalf("after %d, number %d is forgotten", i, old)
			}
		}
		if i > history && find(tab.entries, at(i-history), page) != nil {
			t.Fatalf("after %d, number %d is still there", i, i-history)
		}
	}
	if e := find(tab.entries, page, page); e != &tab.entries[kept] || e.state != live {
		t.Error("a live one is forgotten")
	}
}

func TestTableFull(t *testing.T) {
	tab := newTestTable(t)
	for range liveEntries {
		if i := tab.Acquire(1, 1, 1, "", nil); i < 0 || i >= liveEntries {
			t.Fatalf("got entry %d", i)
		}
	}
	if i := tab.Acquire(1, 1, 1, "", nil); i != -1 {
		t.Errorf("got entry %d of a full table", i)
	}
	tab.Release(5, nil)
	if i := tab.Acquire(1, 1, 1, "", nil); i != 5 {
		t.Errorf("got entry %d, want the one that is free", i)
	}
}

func TestTableFileIsUnlinked(t *testing.T) {
	tab := newTestTable(t)
	if _, err := os.Stat(tab.file.Name()); !os.IsNotExist(err) {
		t.Errorf("%s: %v", tab.file.Name(), err)
	}
}

func TestFind(t *testing.T) {
	const page = 4096
	entries := []entry{
		{start: 0x10f00, size: 0x100, state: freed, acquiredAt: 1},
		{start: 0x12000, size: 0x1000, state: live, acquiredAt: 2},
		{start: 0x20000, size: 0x1000, state: freed, acquiredAt: 4},
		{start: 0x20000, size: 0x1000, state: freed, acquiredAt: 3}, // before the address came back
		{start: 0x30000, size: 0x1000},
	}
	for _, c := range []struct {
		p    uint64
		want int
	}{
		{0xffff, -1}, {0x10000, 0}, {0x10fff, 0}, {0x11000, 0}, {0x11fff, 0},
		{0x12000, 1}, {0x13fff, 1}, {0x14000, -1}, {0x20800, 2}, {0x30000, -1},
	} {
		got := -1
		if e := find(entries, c.p, page); e != nil {
			got = slices.IndexFunc(entries, func(x entry) bool { return x == *e })
		}
		if got != c.want {
			t.Errorf("%#x is in entry %d, want %d", c.p, got, c.want)
		}
	}
}

func callers() []uintptr {
	pcs := make([]uintptr, 20)
	return pcs[:runtime.Callers(1, pcs)]
}

// TestConcurrent: an entry has one owner, and all are dead in the end.
func TestConcurrent(t *testing.T) {
	tab := newTestTable(t)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for n := range 1000 {
				start := uintptr(g<<20+n) << 12
				i := tab.Acquire(start, 4096, 4096, "p", nil)
				if e := &tab.entries[i]; e.start != uint64(start) || e.state != live {
					t.Errorf("entry %d is %+v", i, e)
				}
				tab.Release(i, nil)
			}
		})
	}
	wg.Wait()
	if tab.freed != 8000 || len(tab.free) != liveEntries {
		t.Errorf("%d were freed, and %d entries are free", tab.freed, len(tab.free))
	}
}
