// Package bytespool is a stub with the signatures of github.com/octet-go/octet/bytespool:
// what the checker's test programs compile against.
package bytespool

import "context"

type Pool struct{ classes int }

type BufPool struct{ size int }

type Option interface{ option() }

func NewPool(opts ...Option) *Pool { return new(Pool) }

func WithSizes(min, max int) Option { return nil }

func (p *BufPool) Get() []byte    { return make([]byte, p.size) }
func (p *BufPool) Put(buf []byte) {}

func Abandon(buf []byte) {}

func Append(buf []byte, elems ...byte) []byte { return append(buf, elems...) }
func Make(capacity int) []byte                { return make([]byte, 0, capacity) }
func New(size int) []byte                     { return make([]byte, size) }
func Release(buf []byte)                      {}

func (p *Pool) Acquire(ctx context.Context, size int) ([]byte, error) { return New(size), nil }

func (p *Pool) New(size int) []byte { return New(size) }
func (p *Pool) Release(buf []byte)  {}
