package contest

import (
	"encoding/json"
	"io"
)

// A saved run begins with the name and version of its schema. The version
// changes if a field changes its meaning or is removed.
const (
	schema  = "octet bench"
	version = 1
)

// Encode writes the run as JSON, for other programs to read. The verdict precedes the
// samples that it follows from.
func Encode(w io.Writer, r *Result, verdict any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(struct {
		Schema  string `json:"schema"`
		Version int    `json:"version"`
		Verdict any    `json:"verdict,omitempty"`
		Result
	}{schema, version, verdict, *r})
}
