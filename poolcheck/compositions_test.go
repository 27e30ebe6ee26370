//go:build !race

package poolcheck_test

import (
	"flag"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what TestCompositions finds into testdata/matrix/compositions.txt")

// TestCompositions checks programs through which memory goes from hand to hand.
//
// A program acquires memory and hands it on, by up to two of some ways (ways_test.go), to a
// function that releases it. At one of the hands that it goes through there is a flaw. The programs
// are in the shapes of TestMatrix, which take turns. Each is checked with its flaw and mended; to
// save time, one in eleven is. The test compares how many flaws are reported with
// compositions.txt, by the way that the memory came to the hand, and by the flaw. A mended program
// must have no report, unless mendedReported lists it.
//
// Under the race detector it would take 80 s. TestMatrix runs the same analysis there.
func TestCompositions(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 17 s")
	}
	compositions := compose(t)
	var programs []*program
	for _, c := range compositions {
		programs = append(programs, c.flawed, c.mended)
	}
	analyze(t, programs)
	found, total := make(map[[2]string]int), make(map[[2]string]int)
	for _, c := range compositions {
		switch known := slices.Contains(mendedReported, c.name); {
		case len(c.mended.reports) > 0 && !known:
			t.Errorf("%s: the mended program has reports\n%s", c.name, c.mended)
		case len(c.mended.reports) == 0 && known:
			t.Errorf("%s: no report on the mended program: take it off the list", c.name)
		}
		if c.leftOut() {
			continue
		}
		total[c.cell]++
		if c.flawed.found() {
			found[c.cell]++
		} else {
			t.Logf("silent: %s", c.name)
		}
	}
	got := table(found, total)
	file := filepath.Join(matrixDir, "compositions.txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("what is found has changed: got\n%s\nwant (-update writes it)\n%s", got, want)
	}
}

// mendedReported lists the false reports that are known: they wait for a goroutine that releases
// what a struct owns.
var mendedReported = []string{
	"owner: box, wait group, 0, error", "owner: out, wait group, 2, twice",
}

// sample is how many compositions there are for each that is checked.
const sample = 11

// A composition is a program with a flaw at one hand, and the same mended.
type composition struct {
	name           string // shape: ways, hand, flaw
	cell           [2]string
	shape          string
	flaw           string
	flawed, mended *program
}

// leftOut reports whether the flaw is none in the shape: releases after the first do nothing there.
func (c composition) leftOut() bool {
	return lists("owner counting", c.shape) && lists("missing-return use defer twice", c.flaw)
}

// compose returns a composition for each way, or pair of ways, and each flaw at each hand.
func compose(t *testing.T) []composition {
	t.Helper()
	shapes, imports := readShapes(t), loadImports(t)
	var list []composition
	turn := 0
	for _, chain := range chains() {
		for hand := range len(chain) + 1 {
			for _, f := range flaws {
				if !f.possible(chain, hand) {
					continue
				}
				if turn++; turn%sample != 0 {
					continue
				}
				s := shapes[turn/sample%len(shapes)]
				c := composition{shape: s.name, flaw: f.name, cell: [2]string{"acquired", f.name}}
				names := make([]string, 0, len(chain))
				for i, w := range chain {
					names = append(names, w.name)
					if i == hand-1 {
						c.cell[0] = w.name
					}
				}
				c.name = fmt.Sprintf("%s: %s, %d, %s", s.name, strings.Join(names, ", "), hand, f.name)
				program := func(mended bool) *program {
					return newProgram(t, imports, s, &fault{c.name, strings.Fields(f.codes), text(chain, hand, f, mended)}, mended)
				}
				c.flawed, c.mended = program(false), program(true)
				list = append(list, c)
			}
		}
	}
	return list
}

// chains returns the ways by themselves and in pairs. What is a source comes first.
func chains() [][]way {
	list := [][]way{nil}
	for _, a := range ways {
		list = append(list, []way{a})
		for _, b := range ways {
			piledUp := b.name == "deferred" && strings.Contains(a.take, "for ") // which is a fault of its own
			if b.source == "" && !piledUp {
				list = append(list, []way{a, b})
			}
		}
	}
	return list
}

// A flaw is what is wrong at one hand, and the same mended: NEXT hands v on, or releases it, and
// BAIL leaves the function.
type flaw struct {
	name, codes    string
	flawed, mended string
	// at reports whether it is a flaw where v is handed on by the next way, nil if it is
	// released, and left ways are to come.
	at func(next *way, left int) bool
}

func (f flaw) possible(chain []way, hand int) bool {
	if f.at == nil {
		return true
	}
	left := len(chain) - hand
	if left == 0 {
		return f.at(nil, 0)
	}
	return f.at(&chain[hand], left)
}

func anywhere(next *way, left int) bool  { return true }
func beforeEnd(next *way, left int) bool { return left == 0 }
func handedOn(next *way, left int) bool  { return left > 0 }
func notReturned(next *way, left int) bool {
	return left == 0 || next.source == ""
}

// endsSoon reports whether v is released when the next way has it, or soon after.
func endsSoon(next *way, left int) bool {
	return left == 0 || left == 1 && lists("call errors channel select interface box message goroutine callback handler variadic", next.name)
}

var flaws = []flaw{
	{"bad", "OCT004", "if bad(view(v)) {\n BAIL\n}\nNEXT", "if bad(view(v)) {\n release(v)\n BAIL\n}\nNEXT", anywhere},
	{
		"error", "OCT004", "if err := check(view(v)); err != nil {\n s.note(err)\n BAIL\n}\nNEXT",
		"if err := check(view(v)); err != nil {\n s.note(err)\n release(v)\n BAIL\n}\nNEXT", anywhere,
	},
	{
		"case", "OCT004", "switch kind(view(v)) {\ncase 0:\n NEXT\ncase 1:\n s.count()\ndefault:\n release(v)\n}",
		"switch kind(view(v)) {\ncase 0:\n NEXT\ncase 1:\n s.count()\n release(v)\ndefault:\n release(v)\n}", notReturned,
	},
	{"never", "OCT004", "use(v)", "use(v)\nrelease(v)", beforeEnd},
	{
		"missing-return", "OCT003 OCT001 OCT005 OCT002", "if bad(view(v)) {\n release(v)\n}\nNEXT",
		"if bad(view(v)) {\n release(v)\n BAIL\n}\nNEXT", anywhere,
	},
	{"use", "OCT001 OCT005 OCT002", "NEXT\nuse(v)", "use(v)\nNEXT", endsSoon},
	{"keep", "OCT002 OCT001 OCT005", "s.keep(view(v))\nNEXT", "s.copy(view(v))\nNEXT", beforeEnd},
	{"defer", "OCT003 OCT001 OCT005 OCT002", "defer release(v)\nNEXT", "NEXT", handedOn},
	{"twice", "OCT003 OCT001 OCT005 OCT002", "NEXT\nif s.closed() {\n release(v)\n}", "NEXT", notReturned},
}

// text returns the program in which memory goes the ways of the chain and the flaw is at a hand.
func text(chain []way, hand int, f flaw, mended bool) string {
	numbered := func(s string, i int) string { return strings.ReplaceAll(s, "@", fmt.Sprint(i)) }
	fields, decls := "", ""
	hands := []way{{take: "func (s *server) receive(in []byte) error {\nv := acquire()\nuse(v)\nBODY\nreturn nil\n}", bail: "return errBad"}}
	for i, w := range chain {
		if w.source != "" {
			hands[0] = way{take: numbered(w.source, i), bail: w.sourceBail}
		}
		fields += numbered(w.fields, i) + "\n"
		decls += numbered(w.decls, i)
		hands = append(hands, way{take: numbered(w.take, i), bail: w.bail})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "type server struct {\nstate\n%s}\n%s%s", fields, decls, compositionCommon)
	for i, h := range hands {
		body := "release(v)"
		if i < len(chain) {
			body = numbered(chain[i].give, i)
		}
		if i == hand {
			at := f.flawed
			if mended {
				at = f.mended
			}
			body = strings.NewReplacer("BAIL", h.bail, "NEXT", body).Replace(at)
		}
		b.WriteString(strings.Replace(h.take, "BODY", body, 1) + "\n")
	}
	src, err := format.Source([]byte("package matrix\n" + b.String()))
	if err != nil {
		panic(fmt.Sprintf("%v in\n%s", err, b.String()))
	}
	return strings.TrimPrefix(string(src), "package matrix\n")
}

const compositionCommon = `
type state struct {
	n    int
	err  error
	last []byte
}

func (s *state) note(err error) { s.err = err }
func (s *state) count()         { s.n++ }
func (s *state) closed() bool   { return s.n > 7 }
func (s *state) keep(p []byte)  { s.last = p }
func (s *state) copy(p []byte)  { s.last = append(s.last[:0], p...) }

func bad(p []byte) bool { return len(p) > 0 && p[0] == 7 }

func kind(p []byte) int {
	if len(p) == 0 {
		return 0
	}
	return int(p[0])
}

func once() error {
	v := acquire()
	use(v)
	err := check(view(v))
	release(v)
	return err
}
`

// table says how many programs were found, by the way that the memory came, and by the flaw.
func table(found, total map[[2]string]int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-14s", "")
	for _, f := range flaws {
		fmt.Fprintf(&b, " %14s", f.name)
	}
	b.WriteString("\n")
	row := func(name string) {
		line := fmt.Sprintf("%-14s", name)
		for _, f := range flaws {
			cell := [2]string{name, f.name}
			line += fmt.Sprintf(" %14s", fmt.Sprintf("%d/%d", found[cell], total[cell]))
			found[[2]string{"all", f.name}] += found[cell]
			total[[2]string{"all", f.name}] += total[cell]
		}
		b.WriteString(line + "\n")
	}
	row("acquired")
	for _, w := range ways {
		row(w.name)
	}
	line := fmt.Sprintf("%-14s", "all")
	for _, f := range flaws {
		cell := [2]string{"all", f.name}
		line += fmt.Sprintf(" %14s", fmt.Sprintf("%d/%d", found[cell], total[cell]))
	}
	b.WriteString(line + "\n")
	return b.String()
}
