package limit

import (
	"context"
	"errors"
	"testing"
)

func TestAdmit(t *testing.T) {
	l := New("x", 100, 1)
	if !l.Admit(60) || l.Admit(41) || l.AdmitUpTo(20, 79) || !l.AdmitUpTo(20, 80) {
		t.Error("a request within the limit is refused, or one above it admitted")
	}
	l.Take(100)
	if !l.Admit(0) || l.Wait(context.Background(), 0) != nil {
		t.Error("a request for nothing is refused")
	}
	if err := l.Wait(context.Background(), 101); !errors.Is(err, ErrLimit) {
		t.Errorf("more than the limit: %v", err)
	}
	l.Give(1000)
	if s := l.Stats(); s.InUse != 0 || s.Peak != 180 || s.Rejected != 1 {
		t.Errorf("%+v", s)
	}
}

func TestReservation(t *testing.T) {
	l := New("x", 100, 1)
	var r Reservation
	if !r.Draw(1000) {
		t.Error("without a limit a draw fails")
	}
	l.Admit(60)
	r.Hold(l, 60, nil)
	if !r.Draw(50) || r.Draw(51) || l.Stats().Reserved != 10 || !r.Draw(30) {
		t.Errorf("%+v", l.Stats())
	}
	var rest Reservation
	l.Admit(20)
	rest.Hold(l, 20, nil)
	rest.Release()
	rest.Release()
	if s := l.Stats(); s.InUse != 80 || s.Reserved != 0 {
		t.Errorf("%+v", s)
	}
}

// As many wait as may, and who is refused is told why.
func TestRefusal(t *testing.T) {
	l := New("memory", 100, 0)
	for _, c := range []struct {
		ask  func() error
		want string
	}{
		{func() error { return l.Refusal("files", 101, false) }, `bytespool: pool "files": 101 bytes asked for, 0 of 100 in use or reserved: it is more than the limit`},
		{func() error { l.Take(90); return l.Refusal("files", 20, true) }, `bytespool: pool "files": 20 bytes asked for, 90 of 100 of limit "memory" in use or reserved: there is no room`},
		{func() error { return l.Wait(t.Context(), 20) }, `bytespool: 20 bytes asked for, 90 of 100 of limit "memory" in use or reserved: there is no room, and as many wait as may`},
	} {
		if err := c.ask(); !errors.Is(err, ErrLimit) || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	if s := l.Stats(); s.Rejected != 3 {
		t.Errorf("%+v", s)
	}
}
