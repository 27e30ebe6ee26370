// Package change writes the changes that octet advise advises into the source, or prints them as a patch.
package change

import (
	"bytes"
	"cmp"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/imports"

	"github.com/octet-go/octet/cmd/octet/internal/advise/source"
)

// A Patch is the new content of files of a module.
type Patch struct {
	Notes []string // on what is not changed, and why
	Sites int      // that are changed
	root  string
	files []*file
}

type file struct {
	name     string
	old, new []byte
	parts    []source.Part
	imports  []string // that the parts use
}

// New returns the changes of the sites. With comments, sites whose memory ends elsewhere are changed, too, and the
// place where their last user is thought to be gets a comment: they are for a person to decide.
func New(tree *source.Tree, sites []*source.Site, comments bool) (*Patch, error) {
	p := &Patch{root: tree.Root()}
	for _, s := range sites {
		why, err := p.change(s, comments)
		if err != nil {
			return nil, err
		}
		if why != "" {
			p.Notes = append(p.Notes, fmt.Sprintf("%s:%d is not changed: %s", s.File, s.Line, why))
		}
	}
	for _, f := range p.files {
		if err := f.render(); err != nil {
			return nil, err
		}
	}
	if p.Sites > 0 {
		if err := p.require(); err != nil {
			return nil, err
		}
	}
	p.files = slices.DeleteFunc(p.files, func(f *file) bool { return bytes.Equal(f.old, f.new) })
	return p, nil
}

// Diff writes the patch in the unified format, behind the notes. It has names relative to the module, as git has them.
func (p *Patch) Diff(w io.Writer) error {
	for _, note := range p.Notes {
		if _, err := fmt.Fprintln(w, "#", note); err != nil {
			return err
		}
	}
	for _, f := range p.files {
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
func lines(text []byte) []string { return slices.Collect(strings.Lines(string(text))) }

// Apply writes the files.
func (p *Patch) Apply() error {
	for _, f := range p.files {
		if err := os.WriteFile(f.name, f.new, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// generated is the line that marks a generated file.
var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// change adds the parts of a site, or says why it has none.
func (p *Patch) change(s *source.Site, comments bool) (why string, err error) {
	switch {
	case s.Ends == source.Elsewhere && !comments:
		return "somebody else must release it", nil
	case s.Ends != source.Here && s.Ends != source.Elsewhere:
		return "its memory ends: " + string(s.Ends), nil
	case s.Edit == nil:
		return "the change is more than one expression", nil
	case s.Edit.Why != "":
		return s.Edit.Why, nil
	}
	f, err := p.file(s.Edit.File)
	if err != nil {
		return "", err
	}
	if generated.Match(f.old) {
		return "the file is generated: change what generates it", nil
	}
	f.imports = append(f.imports, s.Edit.Import)
	for _, part := range s.Edit.Parts {
		if part.Start == part.End { // behind the comment of its line
			line, _, _ := bytes.Cut(f.old[part.End:], []byte("\n"))
			if rest := bytes.TrimSpace(line); len(rest) == 0 || bytes.HasPrefix(rest, []byte("//")) {
				part.Start += len(line)
				part.End = part.Start
			}
		}
		f.parts = append(f.parts, part)
	}
	p.Sites++
	if last := s.Edit.Last; s.Ends == source.Elsewhere && last.File != "" {
		if f, err = p.file(last.File); err != nil {
			return "", err
		}
		at := 0
		for range last.Line - 1 {
			at += bytes.IndexByte(f.old[at:], '\n') + 1
		}
		f.parts = append(f.parts, source.Part{Start: at, End: at, Text: last.Text + "\n"})
	}
	return "", nil
}

// file returns the file of that name, which it reads when it is first asked for.
func (p *Patch) file(name string) (*file, error) {
	for _, f := range p.files {
		if f.name == name {
			return f, nil
		}
	}
	old, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	f := &file{name: name, old: old}
	p.files = append(p.files, f)
	return f, nil
}

// render puts the parts in their places, adds the import, and formats the file.
func (f *file) render() error {
	if len(f.parts) == 0 {
		f.new = f.old
		return nil
	}
	slices.SortStableFunc(f.parts, func(a, b source.Part) int { return cmp.Compare(a.Start, b.Start) })
	var out bytes.Buffer
	done := 0
	for _, p := range f.parts {
		if p.Start < done {
			return fmt.Errorf("%s: two changes at the same place", f.name)
		}
		out.Write(f.old[done:p.Start])
		out.WriteString(p.Text)
		done = p.End
	}
	out.Write(f.old[done:])
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, f.name, out.Bytes(), parser.ParseComments)
	if err != nil {
		return err
	}
	for _, from := range f.imports {
		astutil.AddImport(fset, parsed, from)
	}
	for _, from := range []string{"bytes", "io", "io/ioutil"} { // which the parts may have been the last to use
		if len(f.imports) > 0 && !astutil.UsesImport(parsed, from) {
			astutil.DeleteImport(fset, parsed, from)
		}
	}
	out.Reset()
	if err := format.Node(&out, fset, parsed); err != nil {
		return err
	}
	f.new, err = imports.Process(f.name, out.Bytes(), &imports.Options{FormatOnly: true, Comments: true, TabIndent: true, TabWidth: 8})
	return err
}

// require adds octet to go.mod, with the Go release that it needs.
func (p *Patch) require() error {
	const octet = "github.com/octet-go/octet"
	f, err := p.file(filepath.Join(p.root, "go.mod"))
	if err != nil {
		return err
	}
	mod, err := modfile.Parse(f.name, f.old, nil)
	if err != nil {
		return err
	}
	if mod.Module != nil && mod.Module.Mod.Path == octet || slices.ContainsFunc(mod.Require, func(r *modfile.Require) bool { return r.Mod.Path == octet }) {
		f.new = f.old
		return nil
	}
	version := "v0.0.0"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if dep.Path == octet && semver.IsValid(dep.Version) {
				version = dep.Version
			}
		}
	}
	if version == "v0.0.0" {
		p.Notes = append(p.Notes, "go.mod names no version of octet, for this program was built from a checkout: run go get "+octet)
	}
	mod.SetRequireSeparateIndirect(append(mod.Require, &modfile.Require{Mod: module.Version{Path: octet, Version: version}}))
	if mod.Go == nil || semver.Compare("v"+strings.TrimPrefix(mod.Go.Version, "go"), "v"+release) < 0 {
		if err := mod.AddGoStmt(release); err != nil {
			return err
		}
	}
	mod.Cleanup()
	f.new, err = mod.Format()
	return err
}

// release is the Go release that octet needs.
const release = "1.26"
