// Command octet says what the octet packages would save in a program, and measures them on
// the machine that it runs on: find where a pool pays, pool it, prove it right, run it.
//
//	octet advise     says what pools would save in a program, and where
//	octet bench      measures octet against the standard library and its peers
//	octet version    prints the version
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/octet-go/octet/cmd/octet/internal/advise"
	"github.com/octet-go/octet/cmd/octet/internal/bench"
	"github.com/octet-go/octet/cmd/octet/internal/contest"
	"github.com/octet-go/octet/cmd/octet/internal/groups"
	"github.com/octet-go/octet/cmd/octet/internal/version"
)

// Exit codes.
const (
	exitOK    = 0
	exitError = 2
)

func main() {
	os.Exit(run(os.Args[1:], groups.All, os.Stdout, os.Stderr))
}

// run executes the command line and returns the exit code. groups returns the
// groups that octet bench can measure.
func run(args []string, groups func() []contest.Group, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	octet := &cobra.Command{
		Use:   "octet",
		Short: "Find where a pool pays, pool it, prove it right, run it",
		Long: `Find where a pool pays (octet advise), pool it (packages bytespool and buffer), prove
it right (poolcheck, poolcheck test, OCTETDEBUG=check=full), run it (package poolz).

octet bench measures the packages against the standard library and their peers.`,
		Version:       version.String(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	octet.SetVersionTemplate(versionLine)
	octet.DisableSuggestions = true
	octet.AddCommand(
		advise.Command(),
		bench.Command(groups),
		versionCommand(),
		bench.ChildCommand(groups),
	)
	octet.SetArgs(args)
	octet.SetOut(stdout)
	octet.SetErr(stderr)

	err := octet.ExecuteContext(ctx)
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, context.Canceled):
		err = errors.New("interrupted")
	}
	fmt.Fprintln(stderr, "octet:", line(err))
	return exitError
}

// line returns the error in one line. Names of files in it may have anything in them.
func line(err error) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.Join(strings.Fields(err.Error()), " "))
}

// versionLine is what octet --version and octet version print.
var versionLine = fmt.Sprintf("octet %s, %s %s/%s\n", version.String(), runtime.Version(), runtime.GOOS, runtime.GOARCH)

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), versionLine)
			return err
		},
	}
}
