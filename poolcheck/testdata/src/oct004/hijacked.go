package oct004

import (
	"errors"
	"io"
)

// A responder may take over what it is given to answer with.
type responder interface {
	Respond(b *[]byte) error
}

var errTaken = errors.New("the responder goes on with the buffer")

// ok: the responder says by its error that the buffer is its own now.
func respond(r responder) error {
	b := borrowedPool.Get().(*[]byte)
	err := r.Respond(b)
	if err != errTaken {
		borrowedPool.Put(b)
		return err
	}
	return nil
}

// ok: the same, the other way round.
func respondOnce(r responder) error {
	b := borrowedPool.Get().(*[]byte)
	err := r.Respond(b)
	if errTaken == err {
		return nil
	}
	borrowedPool.Put(b)
	return err
}

// bad: the end of a stream says nothing of the buffer.
func respondToEnd(r responder) error {
	b := borrowedPool.Get().(*[]byte) // want "OCT004: b is not released on every path"
	err := r.Respond(b)
	if err == io.EOF {
		return nil
	}
	borrowedPool.Put(b)
	return err
}
