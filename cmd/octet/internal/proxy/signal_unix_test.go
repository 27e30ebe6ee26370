//go:build unix

package proxy

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// TestSignals sees that the program stops at either signal, and at once at the second.
func TestSignals(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		cmd, url, until := startProcess(t, "http://127.0.0.1:1")
		if r, err := http.Get(url); err != nil || r.StatusCode != http.StatusBadGateway {
			t.Errorf("%v, %v", r, err)
		} else {
			r.Body.Close()
		}
		cmd.Process.Signal(s)
		stopped := until("msg=stopped")
		if err := cmd.Wait(); err != nil || !stopped {
			t.Errorf("after %v: %v; it says that it stopped: %v", s, err, stopped)
		}
	}

	upstream, begun, end := slow(t)
	defer end()
	cmd, url, until := startProcess(t, upstream)
	go func() {
		if r, err := http.Get(url); err == nil {
			io.Copy(io.Discard, r.Body)
			r.Body.Close()
		}
	}()
	<-begun
	cmd.Process.Signal(syscall.SIGTERM)
	until("msg=stopping")
	cmd.Process.Signal(syscall.SIGTERM)
	until("")
	if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "signal: terminated") {
		t.Errorf("after two signals: %v", err)
	}
}

// startProcess starts this binary as octet proxy. It returns its address, and a function
// that reads its log up to a text, or to the end, and returns whether the text was there.
func startProcess(t *testing.T, to string) (cmd *exec.Cmd, url string, until func(string) bool) {
	t.Helper()
	cmd = exec.Command(os.Args[0], "--to", to, "--listen", "127.0.0.1:0")
	cmd.Env = append(os.Environ(), becomeProxy+"=1", "GORACE=atexit_sleep_ms=0")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	lines := bufio.NewScanner(stderr)
	until = func(text string) bool {
		for lines.Scan() {
			if text != "" && strings.Contains(lines.Text(), text) {
				return true
			}
		}
		return false
	}
	if !until("msg=listening") {
		t.Fatal("the proxy does not listen")
	}
	return cmd, "http://" + regexp.MustCompile(`at=(\S+)`).FindStringSubmatch(lines.Text())[1], until
}
