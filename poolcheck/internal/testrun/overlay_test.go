package testrun

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A release in which a line is another that is needed of the standard library is refused by its name.
func TestChanges(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	known := &toolchain{version: "go1.99.1", root: strings.TrimSpace(string(root))}
	other := &toolchain{version: known.version, root: t.TempDir()}
	texts := make(map[string]string)
	for _, s := range changes {
		text, err := os.ReadFile(filepath.Join(known.root, "src", s.file))
		if err != nil {
			t.Fatal(err)
		}
		texts[s.file] = string(text)
		write(t, other.root, "src/"+s.file, string(text))
	}
	if _, err := other.files(); err != nil {
		t.Fatal(err)
	}
	for _, s := range changes {
		write(t, other.root, "src/"+s.file, strings.Replace(texts[s.file], "\n"+s.line, "\n//"+s.line, 1))
		if _, err := other.files(); err == nil || !strings.Contains(err.Error(), s.file) || !strings.Contains(err.Error(), "go1.99.1") {
			t.Errorf("without %q in %s: %v", s.line, s.file, err)
		}
		write(t, other.root, "src/"+s.file, texts[s.file])
	}
}
