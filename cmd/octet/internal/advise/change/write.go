package change

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/pmezard/go-difflib/difflib"
)

// Diff writes the patch in the unified format, behind the notes. It has names relative to the module, as git has them.
func (p *Patch) Diff(w io.Writer) error {
	for _, note := range p.Notes {
		if _, err := fmt.Fprintln(w, "#", note); err != nil {
			return err
		}
	}
	for _, f := range p.files {
		if bytes.Equal(f.old, f.new) {
			continue
		}
		name, err := filepath.Rel(p.root, f.name)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		err = difflib.WriteUnifiedDiff(w, difflib.UnifiedDiff{
			A: lines(f.old), B: lines(f.new), FromFile: "a/" + name, ToFile: "b/" + name, Context: 3,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// lines returns the lines of a text, with their ends.
func lines(text []byte) (all []string) {
	for line := range bytes.Lines(text) {
		all = append(all, string(line))
	}
	return all
}

// Apply writes the files.
func (p *Patch) Apply() error {
	for _, f := range p.files {
		if bytes.Equal(f.old, f.new) {
			continue
		}
		if err := os.WriteFile(f.name, f.new, 0o666); err != nil {
			return err
		}
	}
	return nil
}
