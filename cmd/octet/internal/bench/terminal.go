package bench

import (
	"io"
	"os"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// newProgress returns a progress bar, which shows on a terminal alone. It is redrawn when it is
// set, that is between slices: none of its goroutines runs during one.
func newProgress(w io.Writer) *progressbar.ProgressBar {
	return progressbar.NewOptions(1,
		progressbar.OptionSetVisibility(isTerminal(w)),
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription("measuring"),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionThrottle(200*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)
}

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
