package binary_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/octet-go/octet/internal/testenv"
)

// A program that imports binary links neither the pools nor their checks, and does not
// run their initialization.
func TestImports(t *testing.T) {
	testenv.NeedsExec(t)
	const module = "github.com/octet-go/octet/"
	want := []string{"binary", "binary/internal/swap", "bytebuf", "internal/known", "internal/rt"}
	out, err := exec.Command("go", "list", "-deps", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, path := range strings.Fields(string(out)) {
		if name, ours := strings.CutPrefix(path, module); ours && !slices.Contains(want, name) {
			t.Errorf("binary depends on %s", name)
		}
	}
}

// The layer for programs that migrate is apart: the package builds without its files, and
// then imports nothing of octet but how bytes are reversed.
func TestMigrationLayerIsApart(t *testing.T) {
	testenv.NeedsExec(t)
	files, err := filepath.Glob("exact_*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	replace := map[string]string{}
	for _, file := range files {
		path, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		replace[path] = "" // no such file
	}
	overlay := filepath.Join(t.TempDir(), "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, text, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tags := range []string{"", "octet_purego"} {
		out, err := exec.Command("go", "build", "-overlay", overlay, "-tags", tags, ".").CombinedOutput()
		if strings.Contains(string(out), "must not be replaced") {
			t.Skip("NOT TESTED: this module was fetched, and the go command replaces no file of the module cache")
		}
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		out, err = exec.Command("go", "list", "-overlay", overlay, "-tags", tags, "-deps", ".").Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range strings.Fields(string(out)) {
			if strings.HasPrefix(path, "github.com/octet-go/octet/") && !strings.HasPrefix(path, "github.com/octet-go/octet/binary") {
				t.Errorf("without the layer, binary depends on %s", path)
			}
		}
	}
}

// Using all types of binary makes a program that has fmt and io at most 250 KB larger.
// Every element type of which slices are converted adds to that.
func TestProgramSize(t *testing.T) {
	testenv.NeedsExec(t)
	testenv.Long(t)
	size := func(name, program string) int64 {
		dir := t.TempDir()
		source, target := filepath.Join(dir, name+".go"), filepath.Join(dir, name)
		if err := os.WriteFile(source, []byte(program), 0o666); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("go", "build", "-o", target, source).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		info, err := os.Stat(target)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	without := size("without", `package main

import ("fmt"; "io"; "os")

func main() { fmt.Println(io.Copy(os.Stdout, os.Stdin)) }
`)
	with := size("with", `package main

import (
	"fmt"
	"io"
	"os"

	"github.com/octet-go/octet/binary"
)

func main() {
	fmt.Println(io.Copy(os.Stdout, os.Stdin))
	b := binary.BE(nil).Uint16(1).String8("x")
	d := binary.DecodeBE(b)
	fmt.Println(d.Uint16(), d.String8(), d.Err())
	s := binary.NewStreamDecoder[binary.Big](os.Stdin, binary.Limit(10))
	fmt.Println(s.Uint16(), s.String8(), s.Err())
	e := binary.NewStreamEncoder[binary.Big](os.Stdout)
	e.Uint16(1).String8("x").Close()
	c := binary.WriteChain{Writer: os.Stdout, ByteOrder: binary.BigEndian}
	binary.WriteSlice(c.Uint16(1).String("x"), []uint16{1}).End()
	r := binary.Reader{Reader: os.Stdin, ByteOrder: binary.BigEndian}
	fmt.Println(r.Uint16(), binary.ReadSlice(&r, []uint32{1}))
}
`)
	if more := with - without; more > 250_000 {
		t.Errorf("a program with binary has %d bytes more than one without, want at most 250,000", more)
	} else {
		t.Logf("%d bytes more", more)
	}
}
