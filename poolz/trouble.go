package poolz

import (
	"fmt"
	"time"
)

// Bounds beyond which a pool needs attention. The package documentation names them.
const (
	nearLimit  = 7. / 8           // share of the limit that is in use
	stuck      = 10 * time.Second // without a release
	fewHits    = 1. / 2           // share of gets
	manyGets   = 1000             // below which the share of hits says little
	manyDrops  = 1. / 100         // share of puts
	growth     = 1. / 10          // share of what was in use
	growthStep = 1 << 20          // bytes
)

// troubles returns why p needs attention, given its history and how many causes of
// misuse were found in pools of its name.
func (p *pool) troubles(h history, misuses int) (list []string) {
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	c := h.change()
	if misuses > 0 {
		add("misuse was found in a pool of this name: see below")
	}
	l := p.Limit
	full := float64(l.InUse) / float64(max(l.Bytes, 1))
	near := l.Bytes > 0 && full > nearLimit
	if near && c.puts == 0 && c.over >= stuck {
		add("nothing was released in %d s, though %s of the limit are in use: slices are lost, or held for long", int(c.over.Seconds()), percent(full))
	} else if near {
		add("%s of the limit are in use", percent(full))
	}
	if l.Waiting > 0 {
		add("%s wait for room below the limit", plural(uint64(l.Waiting), "request"))
	}
	if c.rejected > 0 {
		add("the limit rejected %s in the last minute", plural(c.rejected, "request"))
	}
	if by, ok := h.grows(); ok {
		add("bytes in use grew by %s within a minute, and requests did not become more frequent: slices may be lost", size(by))
	}
	if rate, ok := c.hitRate(); ok && c.gets >= manyGets && rate < fewHits {
		add("%s of the gets in the last minute were hits: the pool keeps too little", percent(rate))
	}
	if c.puts > 0 && float64(c.overBudget) > manyDrops*float64(c.puts) {
		add("the budget dropped %s of the slices that were released in the last minute", percent(float64(c.overBudget)/float64(c.puts)))
	}
	return list
}
