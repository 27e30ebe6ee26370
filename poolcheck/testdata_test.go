package poolcheck_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The test programs are the specification: each function whose comment starts
// with "bad:" holds a misuse that is reported, and each with "ok:" a look-alike
// that stays silent. TestSpecification counts them by class and sees that the
// comments say what the marks do.
func TestSpecification(t *testing.T) {
	classes, err := filepath.Glob(filepath.Join("testdata", "src", "oct0*"))
	if err != nil || len(classes) != 8 {
		t.Fatalf("found %d classes (%v), want eight", len(classes), err)
	}
	misuses, lookalikes := 0, 0
	for _, dir := range classes {
		class := strings.ToUpper(filepath.Base(dir))
		bad, ok := countCases(t, dir)
		t.Logf("%s: %d misuses, %d look-alikes", class, bad, ok)
		if bad < 3 || ok < 8 {
			t.Errorf("%s has %d misuses and %d look-alikes, want at least 3 and 8", class, bad, ok)
		}
		misuses += bad
		lookalikes += ok
	}
	for _, dir := range []string{"idioms", "alike", "alike/goroutines"} {
		bad, ok := countCases(t, filepath.Join("testdata", "src", dir))
		if bad != 0 {
			t.Errorf("%s has %d misuses, want none", dir, bad)
		}
		lookalikes += ok
	}
	t.Logf("%d misuses, %d look-alikes", misuses, lookalikes)
	if misuses < 100 || lookalikes < 150 {
		t.Errorf("%d misuses and %d look-alikes, want at least 100 and 150", misuses, lookalikes)
	}
}

// countCases counts the misuses and look-alikes in a directory of test
// programs, and reports those whose comment and marks disagree.
func countCases(t *testing.T, dir string) (bad, ok int) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, src, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			fn, isFunc := decl.(*ast.FuncDecl)
			if !isFunc {
				continue
			}
			tf := fset.File(fn.Pos())
			marked := strings.Contains(string(src[tf.Offset(fn.Pos()):tf.Offset(fn.End())]), "want \"")
			doc := fn.Doc.Text()
			switch {
			case strings.HasPrefix(doc, "bad: "):
				bad++
				if !marked {
					t.Errorf("%s: %s is called bad and has no want", tf.Position(fn.Pos()), fn.Name.Name)
				}
			case strings.HasPrefix(doc, "ok: "):
				ok++
				if marked {
					t.Errorf("%s: %s is called ok and has a want", tf.Position(fn.Pos()), fn.Name.Name)
				}
			case marked:
				t.Errorf("%s: %s has a want and no line that says what is bad", tf.Position(fn.Pos()), fn.Name.Name)
			}
		}
	}
	return bad, ok
}
