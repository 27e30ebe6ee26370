// Package bytespool is a stub with the signatures of github.com/octet-go/octet/bytespool:
// what the checker's test programs compile against.
package bytespool

import "context"

type CapacityPools struct{ min, max int }

type BufPool struct{ size int }

type Option interface{ option() }

var defaultPools = NewCapacityPools(2, 1<<22)

func Default() *CapacityPools { return defaultPools }

func NewCapacityPools(minSize, maxSize int, opts ...Option) *CapacityPools {
	return &CapacityPools{minSize, maxSize}
}

func (p *BufPool) Get() []byte    { return make([]byte, p.size) }
func (p *BufPool) Put(buf []byte) {}

func Bytes(len, cap int) []byte { return make([]byte, len, cap) }

func Abandon(buf []byte) {}

func Append(buf []byte, elems ...byte) []byte      { return append(buf, elems...) }
func AppendString(buf []byte, elems string) []byte { return append(buf, elems...) }
func Make(capacity int) []byte                     { return make([]byte, 0, capacity) }
func New(size int) []byte                          { return make([]byte, size) }
func NewBytes(bs []byte) []byte                    { return append(Make(len(bs)), bs...) }
func NewString(s string) []byte                    { return append(Make(len(s)), s...) }
func Release(buf []byte) bool                      { return cap(buf) > 1 }


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

func (p *CapacityPools) Append(buf []byte, elems ...byte) []byte      { return append(buf, elems...) }
func (p *CapacityPools) AppendString(buf []byte, elems string) []byte { return append(buf, elems...) }
func (p *CapacityPools) Make(capacity int) []byte                     { return Make(capacity) }
func (p *CapacityPools) New(size int) []byte                          { return New(size) }
func (p *CapacityPools) NewBytes(bs []byte) []byte                    { return NewBytes(bs) }
func (p *CapacityPools) NewString(s string) []byte                    { return NewString(s) }
func (p *CapacityPools) Release(buf []byte) bool                      { return cap(buf) > 1 }
