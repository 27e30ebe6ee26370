package testrun

import (
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"slices"

	"github.com/octet-go/octet/poolcheck/internal/child"
	"github.com/octet-go/octet/poolcheck/internal/console"
	"github.com/octet-go/octet/poolcheck/internal/status"
)

// BuildUsage is the help of the command build.
const BuildUsage = `Poolcheck build builds a program whose sync.Pools watch a few of their objects, for
staging, a soak or an integration test. Poolcheck run builds it and runs it.

usage: poolcheck build [-o output] [build flags] [packages]
       poolcheck run [build flags] package [arguments]

Flags and packages are those of go build and go run. The program takes its settings from
the environment variable POOLCHECK, with commas between:

  every=10000       watch the first 32 calls of Put and Get of each place, then one in so many
  report=file       append findings to the file, and not to standard error
  then=exit         end the program with the first finding, with exit status 66
  off               alone: watch nothing

` + status.Table

// checkBuildFlags says whether the flags that args begin with can be passed on. Behind a package, flags are the program's.
func checkBuildFlags(verb string, args []string) error {
	var passed []string
	set := newFlags(verb, "race", "the race detector does not see the memory that is watched")
	pass(set, commonFlags, &passed)
	pass(set, buildFlags, &passed)
	return set.Parse(args)
}

// Build runs the command build or run, which verb names, and returns its exit status.
func Build(verb string, args []string, stdout, stderr io.Writer) int {
	say := console.New("poolcheck "+verb, stderr)
	switch err := checkBuildFlags(verb, args); {
	case err == flag.ErrHelp:
		io.WriteString(stdout, BuildUsage)
		return status.Clean
	case err != nil:
		say.Say("%v", err)
		return status.Usage
	}
	ctx, stop := child.Signalled()
	defer stop()
	work, err := os.MkdirTemp("", "poolcheck-build-")
	if err != nil {
		say.Say("%v", err)
		return status.Incomplete
	}
	defer os.RemoveAll(work)
	tools, err := findToolchain(ctx, work, true)
	if err != nil {
		say.Say("%v", err)
		return status.Incomplete
	}
	cmd := child.Command(ctx, tools.goCommand, slices.Concat([]string{verb, "-overlay=" + tools.overlay}, args)...)
	cmd.Env = slices.Clone(tools.env)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, stdout, stderr
	err = child.Run(ctx, cmd)
	switch exit := (*exec.ExitError)(nil); {
	case ctx.Err() != nil:
		say.Say("interrupted")
		return status.Incomplete
	case errors.As(err, &exit) && verb == "run":
		return exit.ExitCode()
	case err != nil:
		say.Say("%v", err)
		return status.Incomplete
	}
	return status.Clean
}
