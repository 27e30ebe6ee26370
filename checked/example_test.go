package checked_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"runtime"
	"strings"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/checked"
	"github.com/octet-go/octet/checked/finding"
)

// In mode Full a broken rule panics with a report.
func ExampleStart() {
	stop, err := checked.Start(checked.Options{Mode: checked.Full})
	if err != nil {
		log.Fatal(err)
	}
	defer stop()

	defer func() {
		var r *checked.Report
		if err, ok := recover().(error); ok && errors.As(err, &r) {
			fmt.Println(r.Summary(), "-", r.Object, "of", r.Size, "bytes")
		}
	}()
	b := bytespool.New(100)
	bytespool.Release(b)
	bytespool.Release(b) //poolcheck:ignore OCT003 the example shows it
	// Output:
	// octet: OCT003: released twice - slice of 128 bytes
}

// For production: one slice in 4,096 is tracked, and half of those are guarded.
func ExampleStart_sample() {
	stop, err := checked.Start(checked.Options{Mode: checked.Sample, OneIn: 4096, GuardSampled: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(checked.Current().Mode)
	stop()
	fmt.Println(checked.Current().Mode)
	// Output:
	// sample
	// off
}

// A handler gets the findings in place of panic and log. This one counts them.
func ExampleHandle() {
	stop, err := checked.Start(checked.Options{Mode: checked.Full})
	if err != nil {
		log.Fatal(err)
	}
	defer stop()

	findings := make(map[checked.Code]int)
	remove := checked.Handle(func(r *checked.Report) { findings[r.Code]++ })
	defer remove()

	b := bytespool.New(100)
	bytespool.Release(b[50:]) //poolcheck:ignore OCT006 the example shows it
	fmt.Println(findings[finding.PartRelease], "released in part,", findings[finding.DoubleRelease], "released twice")
	// Output:
	// 1 released in part, 0 released twice
}

// The stacks of a report are for runtime.CallersFrames.
func ExampleReport() {
	stop, err := checked.Start(checked.Options{Mode: checked.Full})
	if err != nil {
		log.Fatal(err)
	}
	defer stop()

	defer checked.Handle(func(r *checked.Report) {
		first, _ := runtime.CallersFrames(r.Now).Next()
		fmt.Println(first.Function)
	})()
	b := bytespool.New(100)
	bytespool.Release(b)
	bytespool.Release(b) //poolcheck:ignore OCT003 the example shows it
	// Output:
	// github.com/octet-go/octet/bytespool.Release
}

// The attributes of a report are those that findings are logged with.
func ExampleAttrs() {
	r := &checked.Report{Code: finding.Leak, What: "never released", Object: "slice", Size: 4096, Pool: "frames", Count: 10}
	var out bytes.Buffer
	slog.New(slog.NewTextHandler(&out, nil)).LogAttrs(context.Background(), slog.LevelError, "misuse", checked.Attrs(r)...)
	_, attributes, _ := strings.Cut(out.String(), "msg=misuse ")
	fmt.Print(attributes)
	// Output:
	// code=OCT004 what="never released" object=slice size=4096 pool=frames count=10
}

func ExampleWriteProfile() {
	stop, err := checked.Start(checked.Options{Mode: checked.Full})
	if err != nil {
		log.Fatal(err)
	}
	defer stop()

	b := bytespool.New(4096)
	var text strings.Builder
	if err := checked.WriteProfile(&text, 1); err != nil {
		log.Fatal(err)
	}
	bytespool.Release(b)
	for line := range strings.Lines(text.String()) {
		if strings.HasPrefix(line, "profile:") {
			fmt.Print(line)
		}
	}
	// Output:
	// profile: 1 buffers, 4096 bytes
}
