package oct001

import (
	"io"

	"github.com/octet-go/octet/bytespool"
)

// bad: one loop releases the slices, the next writes them.
func releasedThenWritten(slices [][]byte, w io.Writer) {
	for _, p := range slices {
		bytespool.Release(p)
	}
	for _, p := range slices {
		w.Write(p) // want "OCT001: .*used.*"
	}
}

// bad: so do loops over slices that were acquired here.
func acquiredReleasedAndWritten(n int, w io.Writer) {
	slices := make([][]byte, n)
	for i := range slices {
		slices[i] = bytespool.Make(64)
	}
	for _, p := range slices {
		bytespool.Release(p)
	}
	w.Write(slices[0]) // want "OCT001: .*used.*"
}

func releaseOne(p []byte) { bytespool.Release(p) }

// bad: a helper releases them.
func helperReleases(slices [][]byte, w io.Writer) {
	for i := range slices {
		releaseOne(slices[i])
	}
	for i := range slices {
		w.Write(slices[i]) // want "OCT001: .*used.*"
	}
}

// ok: each is written before its release.
func writtenAndReleased(slices [][]byte, w io.Writer) {
	for _, p := range slices {
		w.Write(p)
		bytespool.Release(p)
	}
	for _, p := range slices[:0] {
		w.Write(p)
	}
}

// ok: the loop leaves the last one.
func allButLastReleased(slices [][]byte, w io.Writer) {
	last := len(slices) - 1
	for _, p := range slices[:last] {
		w.Write(p)
		bytespool.Release(p)
	}
	w.Write(slices[last])
	bytespool.Release(slices[last])
}

// ok: only some are released.
func longOnesReleased(slices [][]byte, w io.Writer) {
	for _, p := range slices {
		if len(p) > 100 {
			bytespool.Release(p)
		}
	}
	for _, p := range slices {
		if len(p) <= 100 {
			w.Write(p)
		}
	}
}

// ok: each is replaced.
func releasedAndReplaced(slices [][]byte, w io.Writer) {
	for i, p := range slices {
		bytespool.Release(p)
		slices[i] = []byte("gone")
	}
	for _, p := range slices {
		w.Write(p)
	}
}

// ok: other slices come in.
func releasedAndRefilled(slices [][]byte, w io.Writer) {
	for _, p := range slices {
		bytespool.Release(p)
	}
	slices = append(slices[:0], []byte("new"))
	for _, p := range slices {
		w.Write(p)
	}
}

// ok: it is another slice in each round.
func releasedRoundByRound(next func() [][]byte, w io.Writer) {
	for slices := next(); slices != nil; slices = next() {
		for _, p := range slices {
			w.Write(p)
		}
		for _, p := range slices {
			bytespool.Release(p)
		}
	}
}

// A sender has frames that wait.
type sender struct{ queue [][]byte }

func (s *sender) releaseAll() {
	for _, p := range s.queue {
		bytespool.Release(p)
	}
}

// bad: the method releases each.
func (s *sender) flushReleased(w io.Writer) {
	s.releaseAll()
	for _, p := range s.queue {
		w.Write(p) // want "OCT001: .*used.*"
	}
}

// ok: and this one is called last.
func (s *sender) flush(w io.Writer) {
	for _, p := range s.queue {
		w.Write(p)
	}
	s.releaseAll()
	s.queue = nil
}

// ok: others come into the queue.
func (s *sender) refill(w io.Writer, n int) {
	s.releaseAll()
	s.queue = s.queue[:0]
	for range n {
		s.queue = append(s.queue, bytespool.New(n))
	}
	for _, p := range s.queue {
		w.Write(p)
	}
}

// bad: the loop reads the field in each round.
func (s *sender) flushByIndex(w io.Writer) {
	for i := range s.queue {
		bytespool.Release(s.queue[i])
	}
	for i := range s.queue {
		w.Write(s.queue[i]) // want "OCT001: .*used.*"
	}
}

// bad: the index counts up.
func counted(slices [][]byte, w io.Writer) {
	for i := 0; i < len(slices); i++ {
		bytespool.Release(slices[i])
	}
	w.Write(slices[0]) // want "OCT001: .*used.*"
}

// ok: the first stays.
func countedFromOne(slices [][]byte, w io.Writer) {
	for i := 1; i < len(slices); i++ {
		bytespool.Release(slices[i])
	}
	w.Write(slices[0])
}

type twoQueues struct{ high, low [][]byte }

// ok: another field has other slices.
func (q *twoQueues) flush(w io.Writer) {
	for i := range q.high {
		bytespool.Release(q.high[i])
	}
	for i := range q.low {
		w.Write(q.low[i])
	}
}
