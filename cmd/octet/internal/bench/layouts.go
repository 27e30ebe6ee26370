package bench

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"
)

// Where the linker happens to put functions changes the time of an operation of a few
// nanoseconds by up to 15 %. --layouts measures with several builds of this program, each
// with its functions in another random order: a round for each.

const (
	layoutsDefault = 8
	layoutTime     = 15 * time.Second // for each, unless --time was given

	// layoutRows are the rows that layouts decide: a few nanoseconds each.
	layoutRows = `^pool/mode=(serial|parallel)/(sizes?|held)=|^buffer/.*/writes=1/size=1024|^string/op=String/size=(5|128)$`
)

// buildLayouts builds n layouts of this program from source in a folder, and calls step after
// each.
func buildLayouts(ctx context.Context, dir string, n int, step func(done, total int)) (programs []string, err error) {
	const root = "github.com/octet-go/octet"
	for i := range n {
		program := filepath.Join(dir, fmt.Sprint("octet-", i))
		said, err := exec.CommandContext(ctx, "go", "build", "-o", program, fmt.Sprint("-ldflags=-randlayout=", i+1), root+"/cmd/octet").CombinedOutput()
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, exec.ErrNotFound):
			return nil, fmt.Errorf("--layouts builds octet with the go command, which is missing: %w", err)
		case err != nil:
			return nil, fmt.Errorf("--layouts builds octet from source: run it in a checkout of %s: %w: %s", root, err, said)
		}
		programs = append(programs, program)
		step(i+1, n)
	}
	return programs, nil
}
