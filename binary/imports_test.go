package binary_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/octet-go/octet/internal/testenv"
)

// Package binary imports nothing of octet but how bytes are reversed: most programs that
// use it have no use for pools.
func TestImports(t *testing.T) {
	testenv.NeedsExec(t)
	const module = "github.com/octet-go/octet/"
	out, err := exec.Command("go", "list", "-deps", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, path := range strings.Fields(string(out)) {
		if name, ours := strings.CutPrefix(path, module); ours && name != "binary" && name != "binary/internal/swap" {
			t.Errorf("binary depends on %s", name)
		}
	}
}

// Using all types of binary makes a program that has fmt and io at most 250 KB larger.
// Every element type of which slices are converted adds to that.
func TestProgramSize(t *testing.T) {
	testenv.Long(t)
	without := testenv.ProgramSize(t, `package main

import ("fmt"; "io"; "os")

func main() { fmt.Println(io.Copy(os.Stdout, os.Stdin)) }
`)
	with := testenv.ProgramSize(t, `package main

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
	fmt.Println(binary.AppendNumbers(binary.BE(b), []uint16{1}), binary.DecodeNumbers(&d, []uint32(nil), 1))
}
`)
	if more := with - without; more > 250_000 {
		t.Errorf("a program with binary has %d bytes more than one without, want at most 250,000", more)
	} else {
		t.Logf("%d bytes more", more)
	}
}
