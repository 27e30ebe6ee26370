package flow

import (
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Two pools of one struct that give to each other what they hold, in both directions, do
// so on purpose: one keeps what the other has no use for at the time.

// A transfer is a release that moves memory from one pool of a struct to another.
type transfer struct{ from, to string }

// transferred returns the transfer that a release makes of memory from the pool a to the
// pool b, if they are fields of one struct.
func (e *explorer) transferred(a, b string) transfer {
	in, ok := strings.CutPrefix(a, ofInput)
	with, also := strings.CutPrefix(b, ofInput)
	if !ok || !also || a == b {
		return transfer{}
	}
	id, from, _ := strings.Cut(in, ".")
	_, to, _ := strings.Cut(with, ".")
	k, err := strconv.Atoi(id)
	if err != nil || e.order[k].typ == nil {
		return transfer{}
	}
	owner := e.order[k].typ.String()
	return transfer{owner + "." + from, owner + "." + to}
}

// oneWay returns the reports in fn on transfers whose opposite the package does not have.
func (p *Package) oneWay(fn *ssa.Function) []*Report {
	var reports []*Report
	for _, r := range p.reports[fn] {
		if r.moves != (transfer{}) && !p.transfers[transfer{r.moves.to, r.moves.from}] {
			reports = append(reports, r)
		}
	}
	return reports
}
