package checked

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"

	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/guard"
	"github.com/octet-go/octet/internal/profile"
)

// What only a program that imports this package needs is connected here, so that others
// do not link it: guarded memory, log/slog, and the profile in runtime/pprof.
func init() {
	check.Connect(check.Arena{Start: guard.Start, Alloc: guard.Alloc, Free: guard.Free, Owns: guard.Owns}, log)
	profile.Publish()
}

// log writes a finding to the program's log. A handler that the program installed
// gets attributes. The handler that log/slog begins with would write these as quoted
// strings in a single line; but it writes a message as it is, and so it gets the
// report, which has many lines, as the message.
func log(r *Report) {
	l := slog.Default()
	if isDefault(l.Handler()) {
		l.Error(r.Error())
	} else {
		l.LogAttrs(context.Background(), slog.LevelError, r.Summary(), Attrs(r)...)
	}
}

// isDefault reports whether h is the handler that log/slog begins with. Its type is
// not exported, and slog.Default may return another one already when this package is
// initialized. If a Go release renames the type, its handler gets attributes as
// others do.
func isDefault(h slog.Handler) bool { return reflect.TypeOf(h).String() == "*slog.defaultHandler" }

// Attrs returns what is known of r as attributes for log/slog, in which a stack is a
// list of functions and places. The names are those of the package documentation.
func Attrs(r *Report) []slog.Attr {
	attrs := []slog.Attr{slog.String("code", string(r.Code)), slog.String("what", r.What),
		slog.String("object", r.Object), slog.Int("size", r.Size), slog.String("pool", r.Pool)}
	if r.Age > 0 {
		attrs = append(attrs, slog.Duration("age", r.Age))
	}
	if r.Idle > 0 {
		attrs = append(attrs, slog.Duration("idle", r.Idle))
	}
	if r.Count > 0 {
		attrs = append(attrs, slog.Int("count", r.Count))
	}
	for _, s := range r.Stacks() {
		var list []string
		for _, f := range s.Frames() {
			list = append(list, fmt.Sprintf("%s %s:%d", f.Function, f.File, f.Line))
		}
		attrs = append(attrs, slog.Any(s.Title, list))
	}
	return attrs
}
