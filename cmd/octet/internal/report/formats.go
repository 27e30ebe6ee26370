package report

import (
	"io"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
	"github.com/octet-go/octet/cmd/octet/internal/save"
)

// Formats are the formats of files with reports.
var Formats = save.Formats[*Doc]{
	{Ending: ".json", About: "the verdict and the raw samples", Write: writeJSON},
	{Ending: ".md", About: "the verdict and tables", Write: writeMarkdown},
	{Ending: ".txt", About: "raw samples for benchstat", Write: writeBenchstat},
}

func writeJSON(w io.Writer, d *Doc) error { return contest.Encode(w, d.Run, d.Verdicts) }
