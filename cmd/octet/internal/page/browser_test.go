// Package page has tests of the page of package poolz in a browser. They need a module
// that drives one.
package page

import (
	"context"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/internal/testenv"
	"github.com/octet-go/octet/poolz"
)

var screenshots = flag.String("screenshots", "", "after a minute of load, write pictures of the page to this `directory`")

// TestBrowser looks at the page of a program under load, as a user would.
//
//	go test -run Browser ./cmd/octet/internal/page -screenshots DIR
func TestBrowser(t *testing.T) {
	browser := findBrowser(t)
	server := httptest.NewServer(poolz.Handler())
	defer server.Close()
	defer load()()

	b := open(t, browser)
	b.size(1280, 620)
	b.visit(server.URL + "/debug/pools?refresh=1")

	// Numbers move, though nobody does anything.
	const row = `[...document.querySelectorAll("tr")].find(r => r.querySelector(".name")?.textContent == "proxy")`
	gets := func() string {
		return eval[string](b, row+`?.querySelector("[data-label='gets per second'] .note").textContent ?? ""`)
	}
	first := gets()
	wait(t, "the number of gets changes, and all charts appear", func() bool {
		now := gets()
		return now != "" && now != first && eval[int](b, row+`?.querySelectorAll("polyline").length ?? 0`) == 3
	})

	// The classes open with the keyboard, and stay open when the page refreshes itself.
	if *screenshots != "" {
		time.Sleep(time.Minute)
	}
	if focus := eval[string](b, row+`.querySelector("a").focus(), document.activeElement.textContent`); focus != "details" {
		t.Fatalf("the first link of a row is %q", focus)
	}
	b.do(chromedp.KeyEvent(kb.Enter))
	open := func() bool { return eval[int](b, `document.querySelectorAll("tr.details").length`) == 1 }
	wait(t, "the classes are open", open)
	const taken = `document.querySelector("p:last-of-type small")?.textContent ?? ""`
	before := eval[string](b, taken)
	wait(t, "the page refreshes itself, with the classes open", func() bool {
		now := eval[string](b, taken)
		return now != "" && now != before && open()
	})
	if focus := eval[string](b, `document.activeElement.textContent`); focus != "hide details" {
		t.Errorf("the focus is on %q after a refresh", focus)
	}
	b.picture("pools.png")

	// In the dark.
	const background = `getComputedStyle(document.body).backgroundColor`
	light := eval[string](b, background)
	b.scheme("dark")
	if dark := eval[string](b, background); dark == light {
		t.Errorf("the page is as light in the dark: %s", dark)
	}
	b.picture("pools-dark.png")
	b.scheme("light")

	// A phone, with all classes and a hundred pools.
	var pools []*bytespool.Pool
	for i := range 100 {
		q := bytespool.NewPool(bytespool.WithSizes(2, 1<<20), bytespool.WithName(fmt.Sprintf("pool_%d_of_a_name_without_a_space_that_is_longer_than_a_line", i)))
		q.Release(q.New(1 << (i % 20)))
		pools = append(pools, q)
	}
	b.size(360, 740)
	b.visit(server.URL + "/debug/pools?open=all&refresh=0")
	if n := eval[int](b, `document.querySelectorAll("tr.details").length`); n < 101 {
		t.Errorf("the classes of %d pools are open, want all", n)
	}
	if wide := eval[[]string](b, `[...document.querySelectorAll("body *:not(.inner *, .visually-hidden, thead, thead *)")]
		.filter(e => e.getBoundingClientRect().right > innerWidth + 0.5).map(e => e.tagName + " " + e.className)`); len(wide) > 0 {
		t.Errorf("outside of a screen of 360 px: %q", wide)
	}
	b.picture("pools-360.png")

	// A refresh leaves the reader where he has scrolled to.
	b.visit(server.URL + "/debug/pools?at=pool-1&refresh=1")
	b.do(chromedp.KeyEvent(kb.End))
	wait(t, "the page is scrolled", func() bool { return eval[float64](b, "scrollY") > 10_000 })
	before = eval[string](b, taken)
	wait(t, "the page refreshes itself and is scrolled still", func() bool {
		now := eval[string](b, `(scrollY > 10_000 ? "" : "top ") + (`+taken+`)`)
		return now != "" && now != before && !strings.HasPrefix(now, "top ")
	})

	runtime.KeepAlive(pools)
	// Without script, the page refreshes itself as well, with what is open.
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	b.visit(server.URL + "/debug/pools?open=1&at=pool-1&refresh=1")
	before = eval[string](b, taken)
	wait(t, "the page refreshes itself without script", func() bool {
		now := eval[string](b, taken)
		return now != "" && now != before && open()
	})

	if said := b.console(); len(said) > 0 {
		t.Errorf("the console says %q", said)
	}
}

// wait waits until something is true.
func wait(t *testing.T, what string, is func() bool) {
	t.Helper()
	for began := time.Now(); !is(); time.Sleep(time.Millisecond) {
		if time.Since(began) > 20*time.Second {
			t.Fatalf("after 20 s it is not true that %s", what)
		}
	}
}

// load uses a pool with a limit, now more and now less, until it is told to end.
func load() (end func()) {
	const size = 32 << 10
	p := bytespool.NewPool(bytespool.WithSizes(size, size), bytespool.WithName("proxy"), bytespool.WithLimit(16*size))
	ctx, stop := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				if b, err := p.TryNew(size); err == nil {
					time.Sleep(time.Duration(n%8) * time.Millisecond)
					p.Release(b)
				}
				if n%100 < 10*i { // or all would be the same all the time
					time.Sleep(20 * time.Millisecond)
				}
			}
		})
	}
	return func() { stop(); wg.Wait() }
}

// findBrowser returns the path of Chromium.
func findBrowser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	testenv.Missing(t, "Chromium")
	return ""
}

// A tab is a page in a browser.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu   sync.Mutex
	said []string // on its console
}

func open(t *testing.T, browser string) *tab {
	t.Helper()
	ctx, stop := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(browser), chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()))...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	b := &tab{t: t, ctx: ctx}
	b.do() // starts the browser
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			b.mu.Lock()
			b.said = append(b.said, m.String())
			b.mu.Unlock()
		}
	}()
	return b
}

// console returns what the console has said.
func (b *tab) console() (said []string) {
	b.t.Helper()
	eval[any](b, `console.log("the end")`)
	wait(b.t, "the console is heard", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		i := slices.IndexFunc(b.said, func(m string) bool { return strings.Contains(m, "the end") })
		if i >= 0 {
			said = b.said[:i]
		}
		return i >= 0
	})
	return said
}

// do does something that must succeed.
func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx := b.ctx
	if len(actions) > 0 { // or a time limit would be that of the browser
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, 20*time.Second)
		defer stop()
	}
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

func (b *tab) visit(address string) {
	b.t.Helper()
	b.do(chromedp.Navigate(address), chromedp.WaitVisible(chromedp.CSS("table.pools")))
}

func (b *tab) size(width, height int64) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, height))
}

// scheme makes the user prefer a colour scheme.
func (b *tab) scheme(name string) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}},
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

// eval returns the value of a script. It tries again if the page changes meanwhile.
func eval[T any](b *tab, script string) (value T) {
	b.t.Helper()
	ctx, stop := context.WithTimeout(b.ctx, 20*time.Second)
	defer stop()
	for {
		value, err := chromedp.Run(ctx, chromedp.Evaluate[T](script))
		if err == nil {
			return value
		}
		if ctx.Err() != nil {
			b.t.Fatalf("%s: %v", script, err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// picture writes a picture of the page, if that is asked for.
func (b *tab) picture(name string) {
	b.t.Helper()
	if *screenshots == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(*screenshots, name), png, 0o666)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}
