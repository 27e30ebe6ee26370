package oct003

import (
	"log"
	"sync/atomic"

	"github.com/octet-go/octet/bytespool"
)

// shared is closed by whoever comes first.
type shared struct {
	b    []byte
	done atomic.Bool
}

// bad: the recovered panic releases what the defer behind it releases too.
func recoverAndDefer(parse func([]byte)) {
	b := bytespool.New(512)
	defer bytespool.Release(b) // want "OCT003: .*b.*"
	defer func() {
		if e := recover(); e != nil {
			log.Print(e)
		}
		bytespool.Release(b)
	}()
	parse(b)
}
