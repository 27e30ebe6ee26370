// Package save writes reports to the files that option -o of a command names, in the formats that their
// endings name.
package save

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// A Format is a file format for reports.
type Format[Report any] struct {
	Ending, About string
	Write         func(io.Writer, Report) error
}

// Formats are those of a command, in the order in which help lists them.
type Formats[Report any] []Format[Report]

// String describes the endings, one in each line.
func (fs Formats[Report]) String() string {
	var lines []string
	for _, f := range fs {
		lines = append(lines, fmt.Sprintf("  %-5s  %s", f.Ending, f.About))
	}
	return strings.Join(lines, "\n")
}

// Check reports whether Save could write to the files, as far as that can be known
// beforehand: their endings are known and their directories exist.
func (fs Formats[Report]) Check(paths []string) error {
	for _, path := range paths {
		if _, err := fs.of(path); err != nil {
			return err
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return fmt.Errorf("-o: %s is a directory", path)
		}
		if _, err := os.Stat(filepath.Dir(path) + string(filepath.Separator)); err != nil { // also if it is a file
			return fmt.Errorf("-o: %w", err)
		}
	}
	return nil
}

// Save writes the report to each of the files, in the format of its ending.
func (fs Formats[Report]) Save(paths []string, r Report) error {
	for _, path := range paths {
		f, err := fs.of(path)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := f.Write(&b, r); err != nil {
			return err
		}
		if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
			return fmt.Errorf("-o: %w", err)
		}
	}
	return nil
}

func (fs Formats[Report]) of(path string) (Format[Report], error) {
	ending := strings.ToLower(filepath.Ext(path))
	var known []string
	for _, f := range fs {
		if f.Ending == ending {
			return f, nil
		}
		known = append(known, f.Ending)
	}
	return Format[Report]{}, fmt.Errorf("-o: %s: the name of a report must end in one of %s", path, strings.Join(known, " "))
}
