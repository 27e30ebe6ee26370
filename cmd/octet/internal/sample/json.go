package sample

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// A saved run begins with the name and version of its schema. The version
// changes if a field changes its meaning or is removed; readers ignore unknown
// fields.
const (
	schema  = "octet bench"
	version = 1
)

// file is a saved run.
type file struct {
	Schema  string `json:"schema"`
	Version int    `json:"version"`
	Verdict any    `json:"verdict,omitempty"`
	Run
}

// Encode writes the run as JSON. The verdict, which may be nil, precedes the
// samples that it follows from, for people and other programs to read; Decode
// ignores it.
func Encode(w io.Writer, r *Run, verdict any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(file{schema, version, verdict, *r})
}

// Decode reads a run that Encode wrote. It rejects everything else: other JSON,
// newer schemas, and samples that nothing can be computed from.
func Decode(data []byte) (*Run, error) {
	var head struct {
		Schema  any `json:"schema"`
		Version int `json:"version"`
	}
	if !json.Valid(data) {
		return nil, brokenJSON(data)
	}
	if err := json.Unmarshal(data, &head); err != nil || head.Schema != schema {
		return nil, errors.New("not a run saved by octet bench")
	}
	if head.Version != version {
		return nil, fmt.Errorf("saved with version %d of the schema; this program reads version %d", head.Version, version)
	}
	if err := checkTexts(data); err != nil {
		return nil, fmt.Errorf("damaged: %w", err)
	}
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("damaged: %w", err)
	}
	if err := f.Run.check(); err != nil {
		return nil, fmt.Errorf("damaged: %w", err)
	}
	return &f.Run, nil
}

// brokenJSON returns an error that says where data stops being JSON.
func brokenJSON(data []byte) error {
	var v any
	err := json.Unmarshal(data, &v)
	if at, ok := errors.AsType[*json.SyntaxError](err); ok {
		line := 1 + bytes.Count(data[:min(int(at.Offset), len(data))], []byte("\n"))
		return fmt.Errorf("broken JSON in line %d: %w", line, err)
	}
	return fmt.Errorf("broken JSON: %w", err)
}

// Samples that are not 0 lie between these. No measurement gives others, and what is
// computed from them, such as the ratio of a ratio, stays a number.
const (
	least = 1e-12
	most  = 1e18
)

// check returns an error for the first thing in the run that is not as
// documented.
func (r *Run) check() error {
	for _, g := range r.Groups {
		for _, row := range g.Rows {
			rounds := row.Rounds()
			for _, c := range row.Contestants {
				where := fmt.Sprintf("%s/%s: %s", g.Name, row.Name, c.Name)
				if c.N < 1 {
					return fmt.Errorf("%s has samples of %d operations", where, c.N)
				}
				for _, unit := range []string{Time, Bytes, Allocs} {
					if n := len(c.Samples[unit]); n == 0 || n != rounds {
						return fmt.Errorf("%s has %d samples of %s, not %d", where, n, unit, max(rounds, 1))
					}
				}
				for unit, values := range c.Samples {
					for _, v := range values {
						if v != 0 && (v < least || v > most) {
							return fmt.Errorf("%s has a sample of %v %s", where, v, unit)
						}
					}
				}
			}
		}
	}
	return nil
}

// checkTexts returns an error for the first text in the JSON that is not one to print,
// as reports do. What controls a terminal, or the order in which it shows text, is none.
func checkTexts(data []byte) error {
	invisible := func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }
	for d := json.NewDecoder(bytes.NewReader(data)); ; {
		token, err := d.Token()
		if err != nil {
			return nil // the end: the JSON is known to be valid
		}
		if s, ok := token.(string); ok && strings.ContainsFunc(s, invisible) {
			return fmt.Errorf("the text %+q has characters that cannot be printed", s)
		}
	}
}
