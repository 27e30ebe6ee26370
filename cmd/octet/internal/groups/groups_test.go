package groups

import (
	"regexp"
	"testing"
)

// Every group is well formed, and every contestant does its work.
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
				run := c.Start()
				run.Do(1)
				run.Do(3)
				if run.Err != nil {
					if err := run.Err(); err != nil {
						t.Errorf("%s, %s, %s: %v", g.Name, r.Name, c.Name, err)
					}
				}
				if run.Stop != nil {
					run.Stop()
				}
			}
			if r.Floor != "" && !contestants[r.Floor] {
				t.Errorf("%s, %s: the floor %q is no contestant", g.Name, r.Name, r.Floor)
			}
			if len(r.Contestants) == 0 {
				t.Errorf("%s, %s: no contestants", g.Name, r.Name)
			}
		}
	}
}
