package groups

import (
	"regexp"
	"strings"
	"testing"
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
				if testing.Short() || r.Process != nil { // package patterns tests its own
					continue
				}
				do := c.Start()
				do(1)
				do(3)
			}
			if octet := r.Contestants[0].Name; r.Aside == "" && (len(r.Contestants) < 2 || !strings.HasPrefix(octet, "octet")) {
				t.Errorf("%s, %s: %d contestants of which %s is the first make no contest, and nothing says why", g.Name, r.Name, len(r.Contestants), octet)
			}
			for _, c := range r.Contestants[1:] {
				if strings.HasPrefix(c.Name, "octet") {
					t.Errorf("%s, %s: %s is no rival", g.Name, r.Name, c.Name)
				}
			}
		}
	}
}
