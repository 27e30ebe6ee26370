package report

import (
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/octet-go/octet/cmd/octet/internal/sample"
)

// measureFrames is a script that lists the elements that lie outside of their
// frame, on the left or the right.
const measureFrames = `
onload = () => {
	const found = [];
	for (const frame of document.querySelectorAll("iframe")) {
		const page = frame.contentDocument, width = frame.clientWidth;
		let seen = 0;
		for (const e of page.body.querySelectorAll("*")) {
			const r = e.getBoundingClientRect();
			if (r.width == 0 || e.closest("defs")) continue;
			seen++;
			if (r.left < -0.5 || r.right > width + 0.5)
				found.push(width + ": " + e.tagName + " " + e.textContent.trim().slice(0, 40) + " from " + r.left + " to " + r.right);
		}
		found.push(width + " has " + seen);
	}
	document.body.textContent = found.join("\n");
}`

// In a browser, everything on the page lies inside the screen, whatever its
// width: slow contestants, and all columns.
func TestNothingHidden(t *testing.T) {
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	if browser == "" {
		t.Skip("there is no Chromium")
	}
	var page, frames strings.Builder
	if err := writeHTML(&page, New(wide(), nil)); err != nil {
		t.Fatal(err)
	}
	widths := []int{320, 360, 400, 720, 1280}
	for _, w := range widths {
		fmt.Fprintf(&frames, `<iframe style="border: 0; width: %dpx; height: 600px" srcdoc="%s"></iframe>`, w, html.EscapeString(page.String()))
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "frames.html")
	text := "<!DOCTYPE html><meta charset=utf-8><script>" + measureFrames + "</script><body>" + frames.String()
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--user-data-dir="+filepath.Join(dir, "user"), "--dump-dom", "file://"+file).Output()
	if err != nil {
		t.Fatalf("%s: %v", browser, err)
	}
	_, body, _ := strings.Cut(string(out), "<body>")
	for _, w := range widths {
		m := regexp.MustCompile(fmt.Sprintf(`(?m)^%d has (\d\d\d+)`, w)).FindString(body)
		if m == "" {
			t.Fatalf("nothing was seen at %d: %s", w, body)
		}
		body = strings.Replace(body, m, "", 1)
	}
	body, _, _ = strings.Cut(body, "</body>")
	if body = strings.TrimSpace(body); body != "" {
		t.Errorf("outside the screen:\n%s", body)
	}
}

// wide returns the same run with many contestants, long names, and octet at
// both edges of a chart.
func wide() *sample.Run {
	r := run()
	row := sample.Row{Name: "op=Get+Write+Release/writes=64/size=1048576/held=100"}
	for i := range 7 {
		row.Contestants = append(row.Contestants, contestant(fmt.Sprintf("sync.Pool of bytes.Buffer, %d", i), false, 1e3*float64(i+1), 0, 0))
	}
	for _, ns := range []float64{1, 1e9} {
		row.Contestants = append(row.Contestants, contestant("octet/buffer", true, ns, 1<<20, 1e6))
		r.Groups[0].Rows = append(r.Groups[0].Rows, row)
		row.Contestants = row.Contestants[: len(row.Contestants)-1 : len(row.Contestants)-1]
		row.Name += "/again=yes"
	}
	return r
}
