// Package bytespool is a stub with the signatures of github.com/octet-go/octet/bytespool:
// what the checker's test programs compile against.
package bytespool

import "context"

type CapacityPools struct{ min, max int }

type BufPool struct{ size int }

type Option interface{ option() }

var DefaultCapacityPools = NewCapacityPools(2, 1<<22)

func NewCapacityPools(minSize, maxSize int, opts ...Option) *CapacityPools {
	return &CapacityPools{minSize, maxSize}
}

func (p *BufPool) Get() []byte    { return make([]byte, p.size) }
func (p *BufPool) Put(buf []byte) {}

func Bytes(len, cap int) []byte { return make([]byte, len, cap) }

func Abandon(buf []byte) {}

func Append(buf []byte, elems ...byte) []byte      { return append(buf, elems...) }
func AppendString(buf []byte, elems string) []byte { return append(buf, elems...) }
func Clone(buf []byte) []byte                      { return NewBytes(buf) }
func Get(size int) []byte                          { return New(size) }
func Make(capacity int) []byte                     { return make([]byte, 0, capacity) }
func Make64(capacity uint64) []byte                { return Make(int(capacity)) }
func New(size int) []byte                          { return make([]byte, size) }
func New64(size uint64) []byte                     { return New(int(size)) }
func NewBytes(bs []byte) []byte                    { return append(Make(len(bs)), bs...) }
func NewString(s string) []byte                    { return append(Make(len(s)), s...) }
func Put(buf []byte)                               {}
func Release(buf []byte) bool                      { return cap(buf) > 1 }

func (p *CapacityPools) TryNewN(bufs [][]byte, size int) error                       { return nil }
func (p *CapacityPools) AcquireN(ctx context.Context, bufs [][]byte, size int) error { return nil }
func (p *CapacityPools) ReleaseN(bufs [][]byte) int                                  { return len(bufs) }

func (p *CapacityPools) TryNew(size int) ([]byte, error)                       { return New(size), nil }
func (p *CapacityPools) Acquire(ctx context.Context, size int) ([]byte, error) { return New(size), nil }

type PointerPool struct{ pools *CapacityPools }

func NewPointerPool(p *CapacityPools) *PointerPool { return &PointerPool{p} }

func (p *PointerPool) Get(length int) *[]byte             { return new([]byte) }
func (p *PointerPool) TryGet(length int) (*[]byte, error) { return new([]byte), nil }
func (p *PointerPool) Acquire(ctx context.Context, length int) (*[]byte, error) {
	return new([]byte), nil
}
func (p *PointerPool) Put(b *[]byte) {}

func (p *CapacityPools) Abandon(buf []byte)   {}
func (p *CapacityPools) Wait(size int) []byte { return New(size) }

func (p *CapacityPools) Append(buf []byte, elems ...byte) []byte      { return append(buf, elems...) }
func (p *CapacityPools) AppendString(buf []byte, elems string) []byte { return append(buf, elems...) }
func (p *CapacityPools) Clone(buf []byte) []byte                      { return NewBytes(buf) }
func (p *CapacityPools) Get(size int) []byte                          { return New(size) }
func (p *CapacityPools) Make(capacity int) []byte                     { return Make(capacity) }
func (p *CapacityPools) Make64(capacity uint64) []byte                { return Make64(capacity) }
func (p *CapacityPools) New(size int) []byte                          { return New(size) }
func (p *CapacityPools) New64(size uint64) []byte                     { return New64(size) }
func (p *CapacityPools) NewBytes(bs []byte) []byte                    { return NewBytes(bs) }
func (p *CapacityPools) NewString(s string) []byte                    { return NewString(s) }
func (p *CapacityPools) Put(buf []byte)                               {}
func (p *CapacityPools) Release(buf []byte) bool                      { return cap(buf) > 1 }
