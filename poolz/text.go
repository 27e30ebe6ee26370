package poolz

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/octet-go/octet/internal/figures"
)

// space keeps a number and its unit on one line.
const space = "\u00A0"

// title returns the name under which a pool is shown.
func title(name string) string {
	if name == "" {
		return "(unnamed)"
	}
	return strings.ToValidUTF8(name, "\uFFFD")
}

// size returns n bytes as text, such as "1.5 MiB".
func size(n int64) string {
	x, unit := float64(n), "B"
	for _, u := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if x < 1000 && x > -1000 {
			break
		}
		x, unit = x/1024, u
	}
	return digits(x) + space + unit
}

// count returns n as text, such as "1,234" or "56.7 M".
func count(n uint64) string {
	switch {
	case n < 1e3:
		return strconv.FormatUint(n, 10)
	case n < 1e6:
		return fmt.Sprintf("%d,%03d", n/1e3, n%1e3)
	case n < 1e9:
		return digits(float64(n)/1e6) + space + "M"
	default:
		return digits(float64(n)/1e9) + space + "G"
	}
}

// rate returns a number per second as text.
func rate(x float64) string {
	if x >= 100 {
		return count(uint64(x + 0.5))
	}
	return digits(x)
}

// percent returns a share as text. It rounds down, so that 100 % is all.
func percent(x float64) string {
	return strconv.FormatFloat(float64(int(x*1000))/10, 'f', -1, 64) + space + "%"
}

// plural returns a number of things as text.
func plural(n uint64, thing string) string {
	if n == 1 {
		return "1" + space + thing
	}
	return count(n) + space + thing + "s"
}

// words returns the name of a figure as text.
func words(name string) string { return strings.ReplaceAll(name, "_", " ") }

// shown returns the value n of a figure as text.
func shown[T any](f *figures.Figure[T], n int64, now time.Time) string {
	switch {
	case f.Unit == figures.Time && n == 0:
		return "never"
	case f.Unit == figures.Time:
		return ago(time.Unix(0, n), now)
	case n == 0 && (f.Kind == figures.Bound || f.Kind == figures.Largest):
		return "none"
	case f.Unit == figures.Bytes:
		return size(n)
	case f.Unit == figures.Seconds:
		return time.Duration(n).String()
	case n < 0:
		return "-" + count(uint64(-n))
	}
	return count(uint64(n))
}

// digits returns x with a digit after the point where it has no more than one before.
func digits(x float64) string {
	if x < 10 && x > -10 {
		return strings.TrimSuffix(strconv.FormatFloat(x, 'f', 1, 64), ".0")
	}
	return strconv.FormatFloat(x, 'f', 0, 64)
}

// ago returns how long before now t was, as text. A synctest bubble has another clock.
func ago(t, now time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return max(now.Sub(t), 0).Round(time.Second).String() + " ago"
}
