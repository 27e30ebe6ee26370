package proxy

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// stops are the signals that stop the proxy.
var stops = []os.Signal{os.Interrupt, syscall.SIGTERM}

// run serves until ctx ends, and then waits for requests that run.
func run(ctx context.Context, c config, log *slog.Logger) error {
	front, err := listen("--listen", c.listen)
	if err != nil {
		return err
	}
	defer front.Close()
	p := newProxy(c, log)
	server := newServer(p.handler(), log)
	failed := make(chan error, 2)
	attrs := []any{"at", front.Addr().String(), "to", c.to.Redacted(), "buffer", c.bufferSize}
	var stopping atomic.Bool
	if c.admin != "" {
		back, err := listen("--admin", c.admin)
		if err != nil {
			return err
		}
		admin := newServer(p.admin(&stopping), log)
		defer admin.Close() // last, so that it can be seen how the stop goes
		go func() { failed <- admin.Serve(back) }()
		attrs = append(attrs, "admin", back.Addr().String())
	}
	go func() { failed <- server.Serve(front) }()
	log.Info("listening", attrs...)

	select {
	case err := <-failed:
		server.Close()
		return err
	case <-ctx.Done():
	}
	signal.Reset(stops...) // a second one ends the program at once
	stopping.Store(true)
	log.Info("stopping", "running", p.running.Load(), "grace", c.grace)
	grace, cancel := context.WithTimeout(context.Background(), c.grace)
	defer cancel()
	if err := server.Shutdown(grace); err != nil {
		running := p.running.Load()
		server.Close()
		if errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("stopped after %v, the time of --grace: %d requests were cut off", c.grace, running)
		}
		return err
	}
	log.Info("stopped")
	return nil
}

// listen listens at an address that a flag names.
func listen(flag, address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		reason := err
		if op, ok := errors.AsType[*net.OpError](err); ok {
			reason = op.Err
		}
		return nil, fmt.Errorf("%s %s: %w; use another address, such as localhost:0 for a port that is free", flag, address, reason)
	}
	return l, nil
}

func newServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}
