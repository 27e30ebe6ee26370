package report

import (
	"fmt"

	"github.com/octet-go/octet/cmd/octet/internal/sample"
)

// envLines describes where and how the run was made.
func envLines(r *sample.Run) []string {
	e := r.Env
	rounds := fmt.Sprintf("%d rounds", r.Made())
	if r.Made() < r.Rounds {
		rounds = fmt.Sprintf("%d of %d rounds, because time ran out", r.Made(), r.Rounds)
	}
	return []string{
		fmt.Sprintf("%s, %d cores, GOMAXPROCS %d, %s/%s", e.CPU, e.Cores, e.GOMAXPROCS, e.GOOS, e.GOARCH),
		fmt.Sprintf("%s, octet %s, %s", e.Go, e.Octet, e.Time),
		fmt.Sprintf("%s: %s", e.Command, rounds),
	}
}
