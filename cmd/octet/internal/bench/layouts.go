package bench

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// Where the linker happens to put functions changes the time of an operation of a few
// nanoseconds by up to 15 %. --layouts measures with several builds of this program, each
// with its functions in another random order: a round for each.

const (
	layoutsDefault = 8
	layoutTime     = 15 * time.Second // for each, unless --time was given

	// layoutRows are the rows that layouts decide: a few nanoseconds each.
	layoutRows = `^pool/(steps=4/)?mode=(serial|parallel)/(sizes?|held)=|^buffer/.*/writes=1/size=1024|^string/op=String/size=(5|128)$`
)

// buildLayouts builds the layouts of the program in dir. It calls step after each.
func buildLayouts(ctx context.Context, dir string, n int, step func(done, total int)) (programs []string, err error) {
	for i := range n {
		program := filepath.Join(dir, fmt.Sprint("octet-", i))
		if err := build(ctx, program, i+1); err != nil {
			return nil, err
		}
		programs = append(programs, program)
		step(i+1, n)
	}
	return programs, nil
}

// build builds this program from source, with a layout of its own for each seed.
func build(ctx context.Context, output string, seed int) error {
	const what = root + "/cmd/octet"
	said, err := exec.CommandContext(ctx, "go", "build", "-o", output, "-ldflags=-randlayout="+strconv.Itoa(seed), what).CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("--layouts builds octet with the go command, which is missing: %w", err)
	case err != nil:
		return fmt.Errorf("--layouts builds octet from source: run it in a checkout of %s: %w: %s", root, err, said)
	}
	return nil
}
