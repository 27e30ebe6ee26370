package report

import (
	"fmt"
	"math"
	"strconv"

	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchunit"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// figure formats a value with its unit, with three digits or as a whole number.
func figure(v float64, unit string) string {
	switch unit {
	case contest.Time:
		return scaled(v/1e9, benchunit.Decimal, "s")
	case contest.Bytes:
		return scaled(v, benchunit.Binary, "B")
	case contest.Allocs:
		return scaled(v, benchunit.Decimal, "")
	}
	if benchunit.ClassOf(unit) == benchunit.Binary {
		return scaled(v, benchunit.Binary, "B")
	}
	return scaled(v, benchunit.Decimal, "")
}

// scaled formats v with a prefix. Whole numbers below a thousand get neither
// prefix nor decimals, and zero gets no unit.
func scaled(v float64, class benchunit.Class, unit string) string {
	if v == 0 {
		return "0"
	}
	s := benchunit.CommonScale([]float64{v}, class)
	number := trimDigits(v / s.Factor)
	if s.Prefix == "" && unit == "" {
		return number
	}
	return number + " " + s.Prefix + unit
}

// trimDigits formats v with three digits, and whole numbers without decimals.
func trimDigits(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e6 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	digits := 3 - int(math.Floor(math.Log10(math.Abs(v)))) - 1
	return strconv.FormatFloat(v, 'f', max(0, digits), 64)
}

// spread formats the half-width of the interval relative to the median. It
// returns "" if the interval is infinite, because there were too few rounds, or
// a point.
func spread(s benchmath.Summary) string {
	if s.Lo == s.Hi || math.IsInf(s.Lo, 0) || math.IsInf(s.Hi, 0) {
		return ""
	}
	return " ±" + s.PctRangeString()
}

// times formats a ratio.
func times(ratio float64) string {
	if ratio >= 100 {
		return fmt.Sprintf("%.0f×", ratio)
	}
	return trimRatio(ratio) + "×"
}

func trimRatio(ratio float64) string {
	switch {
	case ratio >= 10:
		return fmt.Sprintf("%.1f", ratio)
	case ratio < 0.1:
		return fmt.Sprintf("%.2g", ratio)
	}
	return fmt.Sprintf("%.2f", ratio)
}
