package bench

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/octet-go/octet/cmd/octet/internal/measure"
)

// ChildCommand returns the hidden subcommand that octet bench runs to measure a
// contestant in a child process.
func ChildCommand(src Source) *cobra.Command {
	return &cobra.Command{
		Use:    measure.Subcommand,
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return measure.Serve(src(), strings.Join(args, " "), cmd.OutOrStdout())
		},
	}
}
