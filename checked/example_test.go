package checked_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/checked"
)

// Whatever breaks a rule panics with a report.
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

// A handler gets what would panic or be logged, here to count it.
func ExampleHandle() {
	stop, err := checked.Start(checked.Options{Mode: checked.Full})
	if err != nil {
		log.Fatal(err)
	}
	defer stop()

	findings := make(map[string]int)
	checked.Handle(func(r *checked.Report) { findings[string(r.Code)]++ })
	defer checked.Handle(nil)

	b := bytespool.New(100)
	bytespool.Release(b[50:]) //poolcheck:ignore OCT006 the example shows it
	fmt.Println(findings)
	// Output:
	// map[OCT006:1]
}

func ExampleCurrent() {
	stop, err := checked.Start(checked.Options{Mode: checked.Full})
	if err != nil {
		log.Fatal(err)
	}
	s := checked.Current()
	fmt.Println(s.Mode, s.Probability)
	stop()
	fmt.Println(checked.Current().Mode)
	// Output:
	// full 1
	// off
}
