package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The disk is full, first for the report, then for the tables.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("/dev/full", filepath.Join(dir, "full.txt")); err != nil {
		t.Fatal(err)
	}
	r := octet(t, dir, nil, brief("-o", "full.txt")...)
	if r.code != 2 || strings.Count(r.stderr, "\n") != 1 || !strings.Contains(r.stderr, "no space left") {
		t.Errorf("-o: exit %d, stderr %q", r.code, r.stderr)
	}
	if r.stdout == "" {
		t.Error("the tables are lost")
	}
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("files: %v", got)
	}

	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	r = octet(t, dir, full, brief()...)
	if r.code != 2 || strings.Count(r.stderr, "\n") != 1 || !strings.Contains(r.stderr, "no space left") {
		t.Errorf("stdout: exit %d, stderr %q", r.code, r.stderr)
	}
}
