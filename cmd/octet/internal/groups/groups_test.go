package groups

import (
	"regexp"
	"strings"
	"testing"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// Every group is well formed, and every contestant does its work without an
// error. With -short none of them works.
func TestAll(t *testing.T) {
	name := regexp.MustCompile(`^[a-z]+$`)
	row := regexp.MustCompile(`^[a-z]+=[^/=]+(/[a-z]+=[^/=]+)*$`)
	groups := make(map[string]bool)
	for _, g := range All() {
		if !name.MatchString(g.Name) || groups[g.Name] || g.About == "" {
			t.Errorf("group %q, about %q", g.Name, g.About)
		}
		groups[g.Name] = true
		rows := make(map[string]bool)
		for _, r := range g.Rows {
			if !row.MatchString(r.Name) || rows[r.Name] {
				t.Errorf("%s: row %q", g.Name, r.Name)
			}
			rows[r.Name] = true
			contestants := make(map[string]bool)
			for _, c := range r.Contestants {
				if c.Name == "" || contestants[c.Name] {
					t.Errorf("%s, %s: contestant %q", g.Name, r.Name, c.Name)
				}
				contestants[c.Name] = true
				if raceEnabled && r.Process != nil && len(r.Process.Env) > 0 {
					continue // they fill the memory that their processes may have, which takes long
				}
				if testing.Short() || r.Peer != "" { // package patterns tests its own
					continue
				}
				run := c.Start()
				run.Do(1)
				if r.Process == nil { // calls Do several times
					run.Do(3)
				}
				if run.Stop != nil {
					run.Stop()
				}
			}
			ours, rivals := sides(&r)
			switch {
			case r.Aside == "" && (ours == 0 || rivals == 0):
				t.Errorf("%s, %s: %d of octet's and %d rivals make no contest, and nothing says why", g.Name, r.Name, ours, rivals)
			case len(r.Contestants) == 0:
				t.Errorf("%s, %s: no contestants", g.Name, r.Name)
			}
		}
	}
}

// sides counts octet's contestants and its rivals. A rival whose name says that
// it is octet makes both 0.
func sides(r *contest.Row) (ours, rivals int) {
	for _, c := range r.Contestants {
		switch {
		case c.Ours:
			ours++
		case strings.HasPrefix(c.Name, "octet") || strings.HasPrefix(c.Name, "statistics"):
			return 0, 0
		default:
			rivals++
		}
	}
	return ours, rivals
}
