// Package bytespool is a stub with the signatures of github.com/octet-go/octet/bytespool:
// what the checker's test programs compile against.
package bytespool

type CapacityPools struct{ min, max int }

type BufPool struct{ size int }

type PoolStat struct {
	Rank, Capacity int
	ReuseHits      uint64
}

type RuntimeSummary struct {
	NewBytes, OutBytes, OutCount, ReusedBytes uint64
	TopPools                                  []PoolStat
}

type Option interface{ option() }

var DefaultCapacityPools = NewCapacityPools(2, 1<<22)

func NewCapacityPools(minSize, maxSize int, opts ...Option) *CapacityPools {
	return &CapacityPools{minSize, maxSize}
}

func NewBufPool(size int) *BufPool { return &BufPool{size} }

func (p *BufPool) Get() []byte    { return make([]byte, p.size) }
func (p *BufPool) Put(buf []byte) {}

func InitDefaultPools(minSize, maxSize int) {}
func Bytes(len, cap int) []byte             { return make([]byte, len, cap) }

func Append(buf []byte, elems ...byte) []byte             { return append(buf, elems...) }
func AppendString(buf []byte, elems string) []byte        { return append(buf, elems...) }
func Clone(buf []byte) []byte                             { return NewBytes(buf) }
func Get(size int) []byte                                 { return New(size) }
func Make(capacity int) []byte                            { return make([]byte, 0, capacity) }
func Make64(capacity uint64) []byte                       { return Make(int(capacity)) }
func MakeMax() []byte                                     { return Make(1 << 22) }
func MakeMin() []byte                                     { return Make(2) }
func New(size int) []byte                                 { return make([]byte, size) }
func New64(size uint64) []byte                            { return New(int(size)) }
func NewMax() []byte                                      { return New(1 << 22) }
func NewMin() []byte                                      { return New(2) }
func NewBytes(bs []byte) []byte                           { return append(Make(len(bs)), bs...) }
func NewString(s string) []byte                           { return append(Make(len(s)), s...) }
func Put(buf []byte)                                      {}
func Release(buf []byte) bool                             { return cap(buf) > 1 }
func MinSize() int                                        { return 2 }
func MaxSize() int                                        { return 1 << 22 }
func SetWithStats(on bool)                                {}
func GetWithStats() bool                                  { return false }
func RuntimeStats(ps ...*CapacityPools) map[string]uint64 { return nil }

func RuntimeStatsSummary(topN int, ps ...*CapacityPools) RuntimeSummary { return RuntimeSummary{} }
func PoolReuseStatsN(topN int, ps ...*CapacityPools) []PoolStat         { return nil }

func (p *CapacityPools) Append(buf []byte, elems ...byte) []byte      { return append(buf, elems...) }
func (p *CapacityPools) AppendString(buf []byte, elems string) []byte { return append(buf, elems...) }
func (p *CapacityPools) Clone(buf []byte) []byte                      { return NewBytes(buf) }
func (p *CapacityPools) Get(size int) []byte                          { return New(size) }
func (p *CapacityPools) Make(capacity int) []byte                     { return Make(capacity) }
func (p *CapacityPools) Make64(capacity uint64) []byte                { return Make64(capacity) }
func (p *CapacityPools) MakeMax() []byte                              { return Make(p.max) }
func (p *CapacityPools) MakeMin() []byte                              { return Make(p.min) }
func (p *CapacityPools) New(size int) []byte                          { return New(size) }
func (p *CapacityPools) New64(size uint64) []byte                     { return New64(size) }
func (p *CapacityPools) NewMax() []byte                               { return New(p.max) }
func (p *CapacityPools) NewMin() []byte                               { return New(p.min) }
func (p *CapacityPools) NewBytes(bs []byte) []byte                    { return NewBytes(bs) }
func (p *CapacityPools) NewString(s string) []byte                    { return NewString(s) }
func (p *CapacityPools) Put(buf []byte)                               {}
func (p *CapacityPools) Release(buf []byte) bool                      { return cap(buf) > 1 }
func (p *CapacityPools) MinSize() int                                 { return p.min }
func (p *CapacityPools) MaxSize() int                                 { return p.max }
func (p *CapacityPools) SetWithStats(on bool)                         {}
func (p *CapacityPools) GetWithStats() bool                           { return false }
