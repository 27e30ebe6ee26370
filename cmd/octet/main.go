// Command octet shows, on the machine in front of its reader, what the octet
// packages save.
//
//	octet bench    measures them against the standard library and the peers
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"

	"github.com/octet-go/octet/cmd/octet/internal/bench"
	"github.com/octet-go/octet/cmd/octet/internal/groups"
	"github.com/octet-go/octet/cmd/octet/internal/real"
)

// Exit codes.
const (
	exitOK      = 0
	exitError   = 2
	exitCrossed = 3 // a --fail-if limit
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	octet := &cobra.Command{
		Use:           "octet",
		Short:         "Programs around the octet packages",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	octet.DisableSuggestions = true
	octet.AddCommand(bench.Command(bench.Source{
		Groups:   groups.All,
		Real:     real.Group,
		RealName: real.Name,
		RealRows: real.Rows(),
	}))
	octet.SetArgs(args)
	octet.SetOut(stdout)
	octet.SetErr(stderr)

	err := octet.ExecuteContext(ctx)
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, bench.ErrCrossed):
		return exitCrossed
	case errors.Is(err, context.Canceled):
		err = errors.New("interrupted")
	}
	fmt.Fprintln(stderr, "octet:", strings.Join(strings.Fields(err.Error()), " "))
	return exitError
}
