package bench

import (
	"github.com/spf13/cobra"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
	"github.com/octet-go/octet/cmd/octet/internal/measure"
	"github.com/octet-go/octet/cmd/octet/internal/process"
)

// ChildCommand returns the hidden subcommand that octet bench runs to measure a
// contestant in a child process.
func ChildCommand(groups func() []contest.Group) *cobra.Command {
	return &cobra.Command{
		Use:    process.Subcommand,
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return process.Serve(func(t measure.Task) (map[string]float64, error) { return measure.Take(groups(), t) })
		},
	}
}
