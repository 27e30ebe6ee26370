package report

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/octet-go/octet/cmd/octet/internal/sample"
)

// A format is a file format for reports.
type format struct {
	ending, about string
	write         func(io.Writer, *Doc) error
}

// formats is in the order in which help lists them.
var formats = []format{
	{".json", "the verdict and the raw samples", writeJSON},
	{".md", "the verdict and tables", writeMarkdown},
	{".txt", "raw samples for benchstat", writeBenchstat},
}

func writeJSON(w io.Writer, d *Doc) error { return sample.Encode(w, d.Run, d.Verdicts) }

// Formats describes the endings of files, one in each line.
func Formats() string {
	var lines []string
	for _, f := range formats {
		lines = append(lines, fmt.Sprintf("  %-5s  %s", f.ending, f.about))
	}
	return strings.Join(lines, "\n")
}

// Check reports whether Save could write to path, as far as that can be known
// beforehand: the ending is known and the directory exists.
func Check(path string) error {
	if _, err := formatOf(path); err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a directory", path)
	}
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		return fmt.Errorf("%s is not a directory", dir)
	}
	return err
}

// Save writes the document to path, in the format of its ending.
func Save(path string, d *Doc) error {
	f, err := formatOf(path)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := f.write(&b, d); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o666)
}

func formatOf(path string) (format, error) {
	ending := strings.ToLower(filepath.Ext(path))
	var known []string
	for _, f := range formats {
		if f.ending == ending {
			return f, nil
		}
		known = append(known, f.ending)
	}
	return format{}, fmt.Errorf("%s: the name of a report must end in one of %s", path, strings.Join(known, " "))
}
