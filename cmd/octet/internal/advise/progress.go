package advise

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// A progress shows on a terminal what is being done, and nothing elsewhere.
type progress struct {
	to   *os.File
	stop func()
}

func newProgress(w io.Writer) *progress {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		f = nil
	}
	return &progress{f, func() {}}
}

// step begins another step. If it takes a time that is known, a bar shows how much is left.
func (p *progress) step(doing string, d time.Duration) {
	p.clear()
	if p.to == nil {
		return
	}
	total := int64(d / time.Second)
	if total == 0 {
		total = -1
	}
	bar := progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(p.to),
		progressbar.OptionSetDescription(printable(doing)),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionClearOnFinish(),
	)
	bar.RenderBlank()
	done := make(chan struct{})
	var w sync.WaitGroup
	w.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-done:
				bar.Clear()
				return
			case <-tick.C:
				bar.Add(1)
			}
		}
	})
	p.stop = func() { close(done); w.Wait() }
}

// clear removes what is shown.
func (p *progress) clear() {
	p.stop()
	p.stop = func() {}
}
