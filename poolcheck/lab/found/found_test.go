package main

import (
	"bytes"
	"go/format"
	"os"
	"testing"
)

// Each program is formatted Go, and docs/EVIDENCE.md says where its bug is.
func TestPrograms(t *testing.T) {
	page, err := os.ReadFile("../../../docs/EVIDENCE.md")
	if err != nil {
		t.Fatal(err)
	}
	programs, err := read()
	if err != nil {
		t.Fatal(err)
	}
	if len(programs) < 8 {
		t.Errorf("%d programs, want 8 or more", len(programs))
	}
	for _, p := range programs {
		if text, err := format.Source(p.text); err != nil || !bytes.Equal(text, p.text) {
			t.Errorf("%s is not formatted: %v", p.name, err)
		}
		if !bytes.Contains(page, []byte("`found "+p.name+"`")) {
			t.Errorf("docs/EVIDENCE.md does not name %s", p.name)
		}
	}
}
