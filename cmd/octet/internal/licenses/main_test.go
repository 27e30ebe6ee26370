package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestUpToDate(t *testing.T) {
	root := filepath.Join("..", "..")
	want, err := licenses(root)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is out of date; in cmd/octet, go run ./internal/licenses", file)
	}
}
