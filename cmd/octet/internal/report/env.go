package report

import (
	"fmt"

	"github.com/octet-go/octet/cmd/octet/internal/sample"
)

// envLines says in a few lines where and how the run was made.
func envLines(e sample.Env) []string {
	return []string{
		fmt.Sprintf("%s, %d cores, GOMAXPROCS %d, %s/%s", e.CPU, e.Cores, e.GOMAXPROCS, e.GOOS, e.GOARCH),
		fmt.Sprintf("%s, octet %s, %s", e.Go, e.Octet, e.Time),
		e.Command,
	}
}
