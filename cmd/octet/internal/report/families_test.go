package report

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/octet-go/octet/cmd/octet/internal/sample"
	"github.com/octet-go/octet/cmd/octet/internal/summary"
)

// rowsOf returns rows given as "name: contestant contestant". The time of
// contestant i in row j is 100·j+i seconds.
func rowsOf(texts ...string) []*summary.Row {
	var rows []*summary.Row
	for j, text := range texts {
		name, names, _ := strings.Cut(text, ": ")
		in := sample.Row{Name: name}
		for i, c := range strings.Fields(names) {
			ns := float64(100*j+i) * 1e9
			in.Contestants = append(in.Contestants, sample.Contestant{Name: c, Samples: map[string][]float64{sample.Time: slices.Repeat([]float64{ns}, 10)}})
		}
		r := summary.Of(&in)
		rows = append(rows, &r)
	}
	return rows
}

func TestFamilies(t *testing.T) {
	for _, tt := range []struct {
		name string
		rows []string
		want []string // title; head
	}{
		{"one table for what differs in one key",
			[]string{"mode=serial/size=1: a b", "mode=serial/size=2: a b"},
			[]string{"g mode=serial: time; size a b"}},
		{"a column for each key that differs",
			[]string{"mode=serial/size=1: a b", "mode=serial/size=2: a b", "mode=parallel/size=1: a b"},
			[]string{"g: time; mode size a b"}},
		{"a key that only some have",
			[]string{"op=x/size=1: a b", "op=x/size=1/held=4: a b"},
			[]string{"g op=x size=1: time; held a b"}},
		{"another operation has another table",
			[]string{"op=x/size=1: a b", "op=x/size=2: a b", "op=x/size=3: a b", "op=y/size=1: a b", "op=y/size=2: a b", "op=y/size=3: a b"},
			[]string{"g op=x: time; size a b", "g op=y: time; size a b"}},
		{"unless the tables are small",
			[]string{"op=x/size=1: a b", "op=x/size=2: a b", "op=y/size=1: a b", "op=z: a b"},
			[]string{"g: time; op size a b"}},
		{"subsets and supersets of the contestants",
			[]string{"m=1: a b c", "m=2: a c", "m=3: c a b d"},
			[]string{"g: time; m c a b d"}},
		{"a subset that would leave the line mostly empty",
			[]string{"m=1: a b c d e", "m=2: a b"},
			[]string{"g: time; m a b c d e", "g: time; m a b"}},
		{"different contestants",
			[]string{"m=1: a b", "m=2: a x"},
			[]string{"g: time; m a b", "g: time; m a x"}},
	} {
		p := Part{Rows: rowsOf(tt.rows...), group: "g"}
		var got []string
		for _, table := range p.tables(brief) {
			got = append(got, strings.ReplaceAll(table.Title, "/", " ")+"; "+strings.Join(table.Head, " "))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// For any rows, each contestant of each row is in the tables once, and no line
// of a table is mostly empty.
func TestFamiliesShowAll(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		var texts []string
		want := make(map[string]int)
		for j := range 1 + rnd.IntN(12) {
			var names []string
			for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
				if rnd.IntN(3) > 0 {
					names = append(names, name)
				}
			}
			if len(names) == 0 {
				names = []string{"a"}
			}
			rnd.Shuffle(len(names), func(i, k int) { names[i], names[k] = names[k], names[i] })
			name := fmt.Sprintf("op=%d/x=%d/n=%d", rnd.IntN(3), rnd.IntN(2), j)
			texts = append(texts, name+": "+strings.Join(names, " "))
			for i, name := range names {
				want[name+figure(float64(100*j+i)*1e9, sample.Time)]++
			}
		}
		p := Part{Rows: rowsOf(texts...), group: "g"}
		for _, table := range p.tables(brief) {
			for _, line := range table.Rows {
				filled := 0
				for i, c := range line[table.Words:] {
					if c.Text != "" {
						filled++
						want[table.Head[table.Words+i]+c.Text]--
					}
				}
				if filled*2 < len(line)-table.Words {
					t.Errorf("%q: a line is mostly empty: %v under %v", texts, line, table.Head)
				}
			}
		}
		for what, n := range want {
			if n != 0 {
				t.Fatalf("%q: %s is missing %d times", texts, what, n)
			}
		}
	}
}
