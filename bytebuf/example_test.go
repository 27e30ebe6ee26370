package bytebuf_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/octet-go/octet/bytebuf"
)

// A Buffer works like a bytes.Buffer. (This one is on the heap, because Fprintf
// takes its address as an io.Writer.)
func Example() {
	b := bytebuf.New()
	b.WriteString("hello, ")
	fmt.Fprintf(&b, "%s", "world")
	s := b.String()
	b.WriteByte('!')
	fmt.Println(s)
	fmt.Println(b.String())
	// Output:
	// hello, world
	// hello, world!
}

// Strings stay what they are, whatever happens to the buffer.
func ExampleBuffer_String() {
	var b bytebuf.Buffer
	b.WriteString(strings.Repeat("first ", 20))
	s := b.String() // shares the array, nothing is copied
	b.Reset()
	b.WriteString("second") // takes another one
	fmt.Println(s[:11])
	fmt.Println(b.String())
	// Output:
	// first first
	// second
}

func ExampleNewBufferString() {
	b := bytebuf.NewBufferString("key=value\nnext")
	line, err := b.ReadString('\n')
	fmt.Printf("%q %v, then %q\n", line, err, b.Bytes())
	// Output: "key=value\n" <nil>, then "next"
}

// A request made from a buffer has a length, and can be sent again.
func ExampleNewReader() {
	b := bytebuf.New()
	b.WriteString(`{"name": "value"}`)
	req, err := http.NewRequest("POST", "http://example.com", bytebuf.NewReader(&b))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(req.ContentLength, req.GetBody != nil)

	b.Reset() // the request does not mind
	b.WriteString("next")
	body, err := io.ReadAll(req.Body)
	fmt.Println(string(body), err)
	// Output:
	// 17 true
	// {"name": "value"} <nil>
}
