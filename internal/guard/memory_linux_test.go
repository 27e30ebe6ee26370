//go:build linux && (amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64) && !race && !msan && !asan && !octet_purego

package guard

import (
	"flag"
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/octet-go/octet/internal/rt"
)

func memories() map[string]memory {
	return map[string]memory{"chunks": new(chunks), "spaces": systemMemory()}
}

// reserved returns what m has from the system.
func reserved(m memory) ranges {
	if s, ok := m.(*spaces); ok {
		return s.all
	}
	return m.(*chunks).all
}

// TestAddressesAreNew: no address is handed out twice.
func TestAddressesAreNew(t *testing.T) {
	a, err := newArena(systemMemory())
	if err != nil {
		t.Fatal(err)
	}
	ends := make(map[uintptr]bool)
	for i := range 30_000 {
		b := mustAlloc(t, a, 1+i*7%10000)
		end := rt.Address(b) + uintptr(len(b))
		if ends[end] {
			t.Fatalf("%#x came back after %d requests", end, i)
		}
		ends[end] = true
		mustFree(t, a, b)
	}
}

var operations = flag.Int("operations", 40_000, "how long TestPageTables goes on; 10 million take two minutes")

// TestPageTables: the page tables of dead memory are bounded, also while there are old
// slices in some blocks.
func TestPageTables(t *testing.T) {
	eachMemory(t, func(t *testing.T, a *arena) {
		mustFree(t, a, mustAlloc(t, a, 4096))
		tables, maps := pageTables(t), mapCount(t)
		var old [16][]byte
		n, bound := *operations, 100
		if c, ok := a.mem.(*chunks); ok {
			n /= 4
			bound += (len(c.dead) + len(old)) * c.systemMaps(false)
		}
		for i := range n {
			b := mustAlloc(t, a, 4096)
			b[0] = 1
			if i%10_000 == 0 {
				if b, old[i/10_000%len(old)] = old[i/10_000%len(old)], b; b == nil {
					continue
				}
			}
			mustFree(t, a, b)
		}
		// Dead for ever without retiring: 16 bytes an operation. What may stay: a
		// page for each old slice and those between, and what the Go runtime maps.
		grown, more := pageTables(t)-tables, mapCount(t)-maps
		t.Logf("after %d operations page tables have grown by %d KiB, mappings by %d", n, grown>>10, more)
		if grown > 512<<10 {
			t.Errorf("page tables have grown by %d bytes", grown)
		}
		if more > bound {
			t.Errorf("%d more mappings", more)
		}
		for _, b := range old {
			if b != nil {
				mustFree(t, a, b)
			}
		}
	})
}

// pageTables returns how many bytes the page tables of this process take.
func pageTables(t *testing.T) int {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), "\nVmPTE:")
	if !ok {
		t.Skip("this kernel does not tell the size of page tables")
	}
	n, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return n << 10
}

// mapCount returns how many mappings this process has.
func mapCount(t *testing.T) int {
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(text), "\n")
}

// TestAddressesAreLimited sees that no more than a share of the addresses that the
// process may have are reserved, so that its heap can grow.
func TestAddressesAreLimited(t *testing.T) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &limit); err != nil {
		t.Fatal(err)
	}
	low := limit
	low.Cur = min(limit.Cur, 1<<46) // more than this process has
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &low); err != nil {
		t.Fatal(err)
	}
	s := systemMemory().(*spaces)
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &low); err != nil { // an emulator may not take it
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &limit); err != nil {
		t.Fatal(err)
	}
	want := math.MaxInt
	if low.Cur <= uint64(math.MaxInt) {
		want = int(low.Cur / 4)
	}
	if s.addresses != want {
		t.Errorf("%d addresses of %d are to be reserved, want %d", s.addresses, low.Cur, want)
	}
	most := 100*s.block() + 1
	s.addresses = most
	for range 200 {
		s.reserve(1)
	}
	sum := 0
	for _, r := range s.all {
		sum += int(r.end - r.start)
	}
	if sum > most || sum < most/2 {
		t.Errorf("%d addresses are reserved, %d may be", sum, most)
	}
}
