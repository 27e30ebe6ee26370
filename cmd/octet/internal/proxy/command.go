// Package proxy is the subcommand octet proxy: an HTTP reverse proxy whose buffers come
// from a pool, with a page that shows the pools at work.
//
// # Map
//
//	command.go  the flags and what they may be
//	serve.go    what listens, and how it stops
//	forward.go  what happens to a request
//	admin.go    the page, /metrics, profiles, and whether the proxy is well
package proxy

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/url"
	"os/signal"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/octet-go/octet/bytespool"
)

// Bounds of --buffer-size.
const (
	minBuffer = 1 << 10
	maxBuffer = 64 << 20
)

// A config is what the proxy is asked to do.
type config struct {
	to         *url.URL
	listen     string
	admin      string // "" for none
	bufferSize int
	limit      int64 // bytes of buffers in use; 0 for none
	retain     time.Duration
	grace      time.Duration
}

const long = `Proxy forwards HTTP requests to another server, and copies the responses with
buffers from a pool. It shows octet in operation, and is a bed to test it on: try
sizes of buffers with the traffic of your own service. With --limit it rejects load
before memory runs out.

With --admin it serves, at another address:

  /debug/pools    what the pools hold: a page, or JSON with ?format=json
  /metrics        the same, and the requests, for Prometheus
  /debug/pprof/   profiles of the program; "octet" is what is in use, by where it
                  was acquired, if OCTETDEBUG=check=sample is set
  /healthz        200, or 503 while it stops

Give --admin an address that users of the service do not reach: it shows the inside
of the program.

A signal TERM or INT stops it: it accepts no more connections, waits for the requests
that run, for --grace at most, and exits. It logs to stderr.`

// Command returns the subcommand.
func Command() *cobra.Command {
	var f struct{ to, bufferSize, limit string }
	var c config
	cmd := &cobra.Command{
		Use:     "proxy --to URL",
		Short:   "Forward HTTP requests with buffers from a pool",
		Long:    long,
		Example: "  octet proxy --to http://localhost:9000 --listen :8080 --admin localhost:6060",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if c.to, err = parseTarget(f.to); err != nil {
				return err
			}
			if c.bufferSize, err = parseBufferSize(f.bufferSize); err != nil {
				return err
			}
			if c.limit, err = parseLimit(f.limit, c.bufferSize); err != nil {
				return err
			}
			if c.grace < 0 {
				return fmt.Errorf("--grace %v: must not be below 0", c.grace)
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), stops...)
			defer stop()
			return run(ctx, c, logger(cmd.ErrOrStderr()))
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.to, "to", "", "forward to the server at this `URL`")
	fl.StringVar(&c.listen, "listen", "localhost:8080", "listen at this `address`")
	fl.StringVar(&c.admin, "admin", "", "show the pools, metrics and profiles at this `address`")
	fl.StringVar(&f.bufferSize, "buffer-size", "256KiB", "copy a response through a buffer of this `size`")
	fl.StringVar(&f.limit, "limit", "", "serve only as many requests at a time as have room for a\nbuffer each in this `size`; others get 503 (default no limit)")
	fl.DurationVar(&c.retain, "retain", bytespool.DefaultRetain, "keep buffers for this long after they were used")
	fl.DurationVar(&c.grace, "grace", 10*time.Second, "how long a stop waits for requests that run")
	return cmd
}

// parseTarget reads --to.
func parseTarget(s string) (*url.URL, error) {
	if s == "" {
		return nil, errors.New("--to is missing: give the address of a server, such as --to http://localhost:9000")
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("--to %q is not the address of a server: use http:// or https:// and a host, such as http://localhost:9000", s)
	}
	return u, nil
}

// parseBufferSize reads --buffer-size.
func parseBufferSize(s string) (int, error) {
	n, err := humanize.ParseBytes(s)
	if err != nil {
		return 0, fmt.Errorf("--buffer-size %q is not a size: use for example 64KiB", s)
	}
	if n < minBuffer || n > maxBuffer {
		return 0, fmt.Errorf("--buffer-size %s: use %s to %s", s, humanize.IBytes(minBuffer), humanize.IBytes(maxBuffer))
	}
	return int(n), nil
}

// parseLimit reads --limit.
func parseLimit(s string, bufferSize int) (int64, error) {
	if s == "" {
		return 0, nil
	}
	n, err := humanize.ParseBytes(s)
	if err != nil || n > math.MaxInt64 {
		return 0, fmt.Errorf("--limit %q is not a size: use for example 64MiB", s)
	}
	if n < uint64(bufferSize) {
		return 0, fmt.Errorf("--limit %s is less than a buffer, and would reject every request: use at least %s", s, humanize.IBytes(uint64(bufferSize)))
	}
	return int64(n), nil
}

func logger(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }
