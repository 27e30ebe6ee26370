package advise

import (
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// A progress shows on a terminal what is being done and for how long, and nothing elsewhere.
type progress struct{ bar *progressbar.ProgressBar }

func newProgress(w io.Writer) *progress {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return &progress{}
	}
	return &progress{progressbar.NewOptions(-1,
		progressbar.OptionSetWriter(f),
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionClearOnFinish(),
	)}
}

// step begins another step.
func (p *progress) step(doing string) {
	if p.bar != nil {
		p.bar.Describe(printable(doing))
		p.bar.RenderBlank() // failing to draw it is no reason to stop
	}
}

// clear removes what is shown.
func (p *progress) clear() {
	if p.bar != nil {
		p.bar.Finish()
	}
}
