package bench

import (
	"github.com/spf13/cobra"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
	"github.com/octet-go/octet/cmd/octet/internal/measure"
	"github.com/octet-go/octet/cmd/octet/internal/process"
)

// ChildCommand returns the subcommand as which octet bench starts itself for
// contestants that need a process of their own.
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
