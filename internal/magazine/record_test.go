package magazine

import (
	"runtime"
	"testing"
	"time"
	"unsafe"
	"weak"

	"github.com/octet-go/octet/internal/sanitize"
)

// The part of a record that an operation uses lies in one cache line, which no other
// record uses, wherever the allocator puts the table: otherwise processors would slow
// each other down. It puts one that is larger than 512 bytes 8 bytes into a line.
func TestLayout(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) < 8 {
		t.Log("the layout matters to the pinned engine, which is for 64 bits")
		return
	}
	if n := unsafe.Sizeof(Head{}); n != 32 {
		t.Errorf("a Head has %d bytes, want 32", n)
	}
	const line, into = 64, 8
	if n, last := unsafe.Sizeof(list{}), unsafe.Offsetof(list{}.retired)+unsafe.Sizeof(list{}.retired); n != line || last != line {
		t.Errorf("a list has %d bytes, want %d, and uses %d of them, the last 8 for what changes with a collection", n, line, last)
	}
	var l Record
	used := unsafe.Offsetof(l.lent) + unsafe.Sizeof(l.lent)
	if n := unsafe.Sizeof(l); n != line || used > line-into {
		t.Fatalf("a record has %d bytes, want %d, and uses %d of them, want at most %d", n, line, used, line-into)
	}
	if sanitize.Enabled {
		t.Log("AddressSanitizer makes allocations larger, so that they lie elsewhere")
		return
	}
	for n := 1; n < 1100; n++ {
		records := make(table, n)
		for i := range records {
			first := uintptr(unsafe.Pointer(&records[i]))
			if last := first + used - 1; first/line != last/line {
				t.Fatalf("record %d of %d begins %d bytes into a cache line and is used up to %d bytes behind it", i, n, first%line, last-first/line*line)
			}
		}
	}
}

// newRecord returns a record with a stack of the given items.
func newRecord(items ...Item) *Record {
	l := new(Record)
	l.init(0, slots)
	l.install(new(stack), slots)
	for _, x := range items {
		l.Push(x)
	}
	return l
}

// retireFor has l take a step, with so much retention and room.
func (l *Record) retireFor(now, retain time.Duration, room int64) (left bool) {
	return l.step(64, &Keep{Now: now, Retain: retain, Room: &room})
}

// What is retired without room, or without retention, is gone with the next collection.
// What is held stays as long as the retention says.
func TestRetiredStacks(t *testing.T) {
	const d10 = 10 * time.Second
	for name, c := range map[string]struct {
		retain time.Duration
		room   int64
		held   bool
	}{
		"no retention": {0, 1 << 20, false},
		"no room":      {d10, 5*64 - 1, false},
		"room":         {d10, 5 * 64, true},
	} {
		l := new(Record)
		l.init(0, slots)
		w := func() weak.Pointer[byte] {
			all := items64(5)
			l.install(new(stack), slots)
			for _, x := range all {
				l.Push(x)
			}
			return weak.Make(&all[2].Slice(1, 1)[0])
		}()
		l.retireFor(time.Hour, c.retain, c.room)
		runtime.GC()
		if (w.Value() != nil) != c.held {
			t.Errorf("%s: kept by a collection: %v", name, !c.held)
		}
		if r := l.retired.Load(); (r.take() != nil) != c.held {
			t.Errorf("%s: found after a collection: %v", name, !c.held)
		}
		if !c.held {
			continue
		}
		if !l.retireFor(time.Hour+d10-1, c.retain, c.room) {
			t.Errorf("%s: it does not stay for the retention", name)
		}
		runtime.GC()
		if w.Value() == nil {
			t.Errorf("%s: it is gone within the retention", name)
		}
		if l.retireFor(time.Hour+d10, c.retain, c.room) {
			t.Errorf("%s: it stays for longer than the retention", name)
		}
		runtime.GC()
		if w.Value() != nil {
			t.Errorf("%s: it is there after the retention", name)
		}
	}
	l := newRecord(items64(5)...)
	l.retireFor(0, d10, 1<<20)
	if l.retireFor(1, d10, 5*64-1) {
		t.Error("it is held although there is no room any more")
	}
	l = newRecord(items64(5)...)
	l.retireFor(0, d10, 1<<20)
	if l.retireFor(1, 0, 1<<20) {
		t.Error("it is held although nothing is to be any more")
	}
}

// What several records hold shares the room.
func TestRoomIsShared(t *testing.T) {
	a, b, c := newRecord(items64(5)...), newRecord(items64(5)...), newRecord(items64(2)...)
	room := int64(8 * 64)
	keep := &Keep{Retain: time.Second, Room: &room}
	for _, l := range []*Record{a, b, c} {
		l.step(64, keep)
	}
	if a.retired.Load().held == nil || b.retired.Load().held != nil || c.retired.Load().held == nil || room != 64 {
		t.Errorf("of 8 items that may be held some others are; %d bytes of room are left", room)
	}
}
