package bench

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// A progress is a progress bar on a terminal, and nothing elsewhere. It is
// redrawn by step alone, that is between slices: none of its goroutines runs
// during one.
type progress struct{ bar *progressbar.ProgressBar }

func newProgress(w io.Writer) *progress {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return &progress{}
	}
	return &progress{progressbar.NewOptions(1,
		progressbar.OptionSetWriter(f),
		progressbar.OptionSetDescription("measuring"),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionThrottle(200*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)}
}

func (p *progress) step(done, total int) {
	if p.bar == nil {
		return
	}
	p.bar.ChangeMax(total)
	p.bar.Set(done) // failing to draw it is no reason to stop
}

func (p *progress) clear() {
	if p.bar != nil {
		p.bar.Clear()
	}
}
