package alike

import (
	"errors"
	"os"

	"github.com/octet-go/octet/bytespool"
)

var errFull = errors.New("full")

func room(n int) ([]byte, error) {
	if n > 10 {
		return nil, errFull
	}
	return bytespool.New(n), nil
}

// ok: an error that is a certain one is an error, and there is no slice beside it.
func full(n int) error {
	b, err := room(n)
	if errors.Is(err, errFull) {
		return nil
	}
	if err != nil {
		return err
	}
	b[0] = 1
	bytespool.Release(b)
	return nil
}

// ok: so is an error of a certain type.
func first(n int) (*byte, error) {
	b, err := room(n)
	var failed *os.PathError
	if errors.As(err, &failed) {
		return nil, failed.Err
	}
	if err != nil {
		return nil, err
	}
	x := b[0]
	bytespool.Release(b)
	return &x, nil
}
