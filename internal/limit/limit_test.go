package limit

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
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

func TestFirstCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New("x", 100, 2)
		l.Take(50)
		var got []int64
		wait := func(n int64) {
			if err := l.Wait(t.Context(), n); err != nil {
				t.Error(err)
			}
			got = append(got, n)
		}
		go wait(80)
		synctest.Wait()
		go wait(10)
		synctest.Wait()
		if l.Admit(1) || !l.Admit(0) {
			t.Error("who waits is passed, or a request for nothing refused")
		}
		if err := l.Wait(t.Context(), 1); !errors.Is(err, ErrLimit) {
			t.Errorf("line full: %v", err)
		}
		l.Give(30)
		synctest.Wait()
		if len(got) != 1 || got[0] != 80 || l.Stats().Waiting != 1 {
			t.Errorf("served: %v", got)
		}
		l.Give(50)
		synctest.Wait()
		if l.Stats().Waiting != 0 || !l.Admit(10) {
			t.Errorf("%+v", l.Stats())
		}
	})
}

func TestContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New("x", 100, 2)
		l.Take(50)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		go func() {
			if err := l.Wait(ctx, 100); err != context.DeadlineExceeded {
				t.Error(err)
			}
		}()
		synctest.Wait()
		if err := l.Wait(t.Context(), 50); err != nil || l.Stats().InUse != 100 {
			t.Errorf("behind one that went: %v, %+v", err, l.Stats())
		}
	})
}

func TestServedFromOutside(t *testing.T) {
	l := New("x", 100, 1)
	l.Take(100)
	go func() {
		for l.Stats().Waiting == 0 {
			time.Sleep(time.Millisecond)
		}
		l.Give(100)
	}()
	synctest.Test(t, func(t *testing.T) {
		if err := l.Wait(t.Context(), 100); err != nil {
			t.Error(err)
		}
	})
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
