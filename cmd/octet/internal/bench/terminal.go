package bench

import (
	"io"
	"os"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// A progress is a progress bar on a terminal, and nothing elsewhere. It is
// redrawn by step alone, that is between slices: none of its goroutines runs
// during one.
type progress struct{ bar *progressbar.ProgressBar }

func newProgress(w io.Writer) progress {
	return progress{progressbar.NewOptions(1,
		progressbar.OptionSetVisibility(isTerminal(w)),
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription("measuring"),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionThrottle(200*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)}
}

func (p progress) step(done, total int) {
	p.bar.ChangeMax(total)
	p.bar.Set(done) // failing to draw it is no reason to stop
}

func (p progress) clear() { p.bar.Clear() }

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// look has the report in colours on a terminal alone, unless the user wants none, and returns
// the width of the terminal, or 0.
func look(w io.Writer) (width int) {
	if !isTerminal(w) {
		text.DisableColors()
		return 0
	}
	width, _, _ = term.GetSize(int(w.(*os.File).Fd()))
	return width
}
