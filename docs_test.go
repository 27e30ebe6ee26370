package octet_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// needsCheckout skips a test in the module cache, where other modules are missing.
func needsCheckout(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("cmd/octet/go.mod"); err != nil {
		t.Skip("not in a checkout of the repository")
	}
}

// link matches a link to a file of the repository, and the heading that it names.
var link = regexp.MustCompile(`\]\(([^):#]*)(#[^)]*)?\)`)

// TestLinks checks that links in documents lead to files and headings that exist.
func TestLinks(t *testing.T) {
	needsCheckout(t)
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git"):
			return fs.SkipDir
		case path.Ext(name) != ".md":
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			target := name
			if m[1] != "" {
				target = filepath.Join(filepath.Dir(name), filepath.FromSlash(m[1]))
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %s leads nowhere", name, m[0])
			} else if m[2] != "" && !hasHeading(t, target, m[2]) {
				t.Errorf("%s: %s: there is no such heading", name, m[0])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// hasHeading reports whether a document has the heading with an anchor such as
// #single-operations.
func hasHeading(t *testing.T, name, anchor string) bool {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if heading, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && line[0] == '#' {
			slug := strings.Map(func(r rune) rune {
				switch {
				case r == ' ':
					return '-'
				case strings.ContainsRune("-_0123456789", r), 'a' <= r && r <= 'z':
					return r
				}
				return -1
			}, strings.ToLower(strings.TrimSpace(heading)))
			if "#"+slug == anchor {
				return true
			}
		}
	}
	return false
}

// TestFolders checks that CONTRIBUTING.md names every folder that has a package at the
// top or in internal.
func TestFolders(t *testing.T) {
	needsCheckout(t)
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"*/*.go", "internal/*/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			folder := filepath.ToSlash(filepath.Dir(name))
			if !strings.Contains(string(text), "`"+folder+"`") {
				t.Errorf("CONTRIBUTING.md does not name %s", folder)
			}
		}
	}
}

// TestWords holds the documents to the length that a reader has time for, in words as wc counts
// them, cells and bars of tables included.
func TestWords(t *testing.T) {
	needsCheckout(t)
	const evidence = "docs/EVIDENCE.md"
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	words, others := map[string]int{}, 0
	for _, name := range pages {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		name = filepath.ToSlash(name)
		words[name] = len(strings.Fields(string(text)))
		if name != evidence {
			others += words[name]
		}
	}
	if n := words[evidence]; n == 0 || n > 3500 {
		t.Errorf("%s has %d words, want at most 3,500", evidence, n)
	}
	if others > 9000 {
		t.Errorf("the other pages have %d words together, want at most 9,000: %v", others, words)
	}
}
