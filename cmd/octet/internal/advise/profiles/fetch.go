package profiles

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// IsAddress reports whether the argument is an address, and not the name of a file.
func IsAddress(arg string) bool {
	return strings.HasPrefix(arg, "http://") || strings.HasPrefix(arg, "https://")
}

// Fetch adds the profiles of a service, which net/http/pprof serves, of the same time from now.
// An address is that of one profile, or of the page that lists them.
func (s *Set) Fetch(ctx context.Context, addresses []string, d time.Duration) error {
	var from []string
	for _, a := range addresses {
		both, err := expand(a, d)
		if err != nil {
			return err
		}
		from = append(from, both...)
	}
	data := make([][]byte, len(from))
	g, ctx := errgroup.WithContext(ctx)
	for i, a := range from {
		g.Go(func() (err error) {
			data[i], err = get(ctx, a, d)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for i, a := range from {
		if err := s.Add(data[i]); err != nil {
			return fmt.Errorf("%s %w", a, err)
		}
	}
	return nil
}

// expand returns the addresses of the profiles for an argument.
func expand(address string, d time.Duration) ([]string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	q := u.Query()
	q.Del("debug")
	q.Set("seconds", strconv.Itoa(int(d.Seconds())))
	u.RawQuery = q.Encode()
	switch {
	case strings.Trim(u.Path, "/") == "":
		u.Path = "/debug/pprof"
	case path.Base(u.Path) != "pprof" && !strings.HasSuffix(u.Path, "/"):
		return []string{u.String()}, nil
	}
	return []string{u.JoinPath("allocs").String(), u.JoinPath("profile").String()}, nil
}

// get fetches a profile that takes as long as d.
func get(ctx context.Context, address string, d time.Duration) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, d+30*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		why, _ := io.ReadAll(io.LimitReader(resp.Body, 200))
		return nil, fmt.Errorf("%s: %s: %s", address, resp.Status, why)
	}
	return io.ReadAll(resp.Body)
}
