// Package engine pools memory by capacity class, with a stack of idle items per
// class and processor. Package magazine, its lower floor, keeps the items; this package
// says which classes there are, what a request gets, and for how long idle memory stays.
//
// # Map
//
//	size.go      which size belongs to which class
//	class.go     row, class: what a pool has of each capacity
//	engine.go    Pool: its configuration and its classes
//	new.go       New: a slice from the stack, the depot or the allocator
//	release.go   Release: the way back
//	lend.go      how what has grown is found again
//	least.go     the fewest slices in use for a while
//	admit.go     requests that a limit admits, and what counts against it
//	reserve.go   bytes that count before slices have them
//	checked.go   what is different while misuse is looked for
//	objects.go   Objects: pooled together with the slices that they keep
//	idle.go      how much idle memory is kept, and for how long
//	metrics.go   what the runtime says of memory
//	registry.go  weak pointers to all pools
//	stats.go     what the counters say
//
// Requests and releases pass new.go, lend.go, release.go, admit.go and checked.go, which refer to each
// other. No other files do.
package engine

import (
	"math"
	"math/bits"
	"sync"
	"sync/atomic"
	"time"

	"github.com/octet-go/octet/bytespool/stats"
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/collection"
	"github.com/octet-go/octet/internal/limit"
	"github.com/octet-go/octet/internal/magazine"
	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/sanitize"
)

// A Clear says when a pool clears memory.
type Clear uint8

const (
	ClearNever     Clear = iota
	ClearOnGet           // the length asked for, when it is handed out
	ClearOnRelease       // the whole capacity, when it comes back
)

// Config says what Init makes.
type Config struct {
	Name             string
	MinSize, MaxSize int
	stats.Options                 // Steps is 1, 2 or 4; 0 means 1
	Limit            int64        // bytes in use at most, of those that ask for admission; 0 means none
	Waiters          int          // for admission, at most
	Shared           *limit.Limit // in place of these two, a limit that other pools may have, too
	Clear            Clear
	Exact            bool // the largest class has MaxSize bytes, and not what its class would have
	Portable         bool // use the portable engine even where pinning is possible
	Ordered          bool // the program has asked for Retain: see idle.go
	Handle           any  // what Handle returns: it must not keep the pool alive
}

// A Pool keeps byte slices of released capacity for later requests. Make one
// with Init. All methods are safe for concurrent use.
type Pool struct {
	// The fast paths read these. Reconfigure changes them one by one while
	// operations run: whichever values an operation sees, it stays within a class,
	// and a class never changes its capacity.
	newMask    atomic.Uintptr // smallest class's capacity - 1
	newPinned  atomic.Uintptr // the largest size that the pinned fast path serves; 0 disables it, since size 0 is then of class 0, which is always closed
	newStepped atomic.Uintptr // the same where there are steps
	portable   bool           // use stripes; this and the next two never change
	plain      bool           // not portable, all classes powers of two, and without a limit
	grid       grid

	pinnedStepped *steppedHeads // of a pool whose grid is not plain, in the pinned engine, without a limit, else nil

	row
	lending lending
	objects atomic.Pointer[[]*objects] // by type; see allObjects

	size    atomic.Pointer[sizes]
	name    string
	handle  any
	id      uint64
	clear   Clear
	options stats.Options
	ordered bool // the program has asked for options.Retain
	shared  magazine.Shared

	out struct { // traffic that no class sees; beside it an allocation or a refusal
		count, bytes       atomic.Uint64
		tooSmall, tooLarge atomic.Uint64
	}

	limiter     *limit.Limit   // nil without a limit
	sharesLimit bool           // other pools may have it, too
	newLimit    atomic.Uintptr // of a pool with a limit: the largest size that the pinned fast path serves
	rejected    atomic.Int64   // requests, by the limit

	counted uint64      // requests that served has counted
	keeps   atomic.Bool // whether it may keep something: the next collection looks

	sampler check.Sampler // in mode sample

	lastDrop atomic.Int64 // when idle items were dropped last, since started; 0 if never
}

// lending is the state of the rule in lend.go.
type lending struct {
	narrow  atomic.Bool   // no more is lent than LendFreely times the size
	refused atomic.Uint32 // loans that were refused, since narrow is set

	mu   sync.Mutex // held to look
	mean int64      // the capacity of the loans that were made last, on average
	use  least
}

// objects is Objects for any type.
type objects struct {
	pool *Pool
	kind any // a nil *T
	row
}

const excessBytes = 16 << 20 // what depots keep beyond their bounds: see idle.go

// pools has all pools that are alive.
var pools registry[Pool]

// Pools yields all pools that are alive, the oldest first.
func Pools(yield func(*Pool) bool) { pools.all(yield) }

// Of returns the pool inside a *bytespool.Pool. Package bytespool sets it.
var Of func(Marked) *Pool

// Marked is what has a Mark: bytespool.Pool alone.
type Marked interface{ marked() }

// A Mark is embedded in a type that [Of] takes.
type Mark struct{}

func (Mark) marked() {}

// Init makes p usable. It must not be called twice.
func (p *Pool) Init(c Config) {
	p.name, p.handle, p.id = c.Name, c.Handle, check.NewPoolID()
	p.clear = c.Clear
	p.portable = c.Portable || !rt.Pinned
	p.options, p.ordered = c.Options, c.Ordered
	p.options.Budget, p.options.Retain, p.options.Steps = max(c.Budget, 0), max(c.Retain, 0), max(c.Steps, 1)
	p.shared.Portable, p.shared.Steps = p.portable, p.options.Steps
	p.shared.Budget.Init(c.Budget, magazine.Records(p.portable))
	p.shared.Excess.Refill(math.MaxInt64, excessBytes)
	g := grid{Log2: uint32(bits.Len(uint(p.options.Steps)) - 1)}
	if c.Exact {
		g = g.WithExact(newSizes(c.MinSize, c.MaxSize, g).fit)
	}
	p.grid = g
	if p.limiter, p.sharesLimit = c.Shared, c.Shared != nil; c.Limit > 0 {
		p.limiter = limit.New(c.Name, c.Limit, c.Waiters)
	}
	p.plain = !p.portable && g.Plain() && p.limiter == nil
	p.row.init(g)
	if !p.portable && p.limiter == nil {
		p.pinnedStepped = p.stepped
	}
	pools.add(p) // first: a change of the mode that configure does not see follows here
	p.configure(newSizes(c.MinSize, c.MaxSize, g))
}

// Reconfigure changes the sizes that p serves. Slices of classes that p no
// longer has are rejected from now on, and those it kept are dropped. A zero
// Pool stays one.
func (p *Pool) Reconfigure(minSize, maxSize int) {
	if s := p.size.Load(); s != nil {
		p.configure(newSizes(minSize, maxSize, s.grid))
	}
}

func (p *Pool) configure(s *sizes) {
	p.shared.Mu.Lock()
	defer p.shared.Mu.Unlock()
	p.size.Store(s)
	p.sampler.Look()
	p.newMask.Store(uintptr(s.least) - 1)
	switch {
	case p.clear == ClearOnGet:
	case p.limiter != nil:
		p.newLimit.Store(uintptr(s.fit))
	case p.plain:
		p.newPinned.Store(uintptr(s.fit))
	case !p.portable:
		p.newStepped.Store(uintptr(s.fit))
	}
	for c := range p.allClasses {
		p.open(c)
		if !s.has(c.index()) {
			p.drop(c)
		}
	}
}

// Trim drops everything that p keeps idle and returns how many bytes that was.
// What other goroutines release or get at the same time may or may not count.
func (p *Pool) Trim() (freed int64) {
	if p.size.Load() == nil {
		return 0 // a zero Pool
	}
	p.shared.Mu.Lock()
	defer p.shared.Mu.Unlock()
	for c := range p.allClasses {
		freed += p.drop(c)
	}
	return freed
}

// arm makes sure that the next collection finds p among those that keep something.
// Its caller has just made it keep something.
func (p *Pool) arm() {
	if !p.keeps.Load() {
		p.keeps.Store(true)
	}
	collection.Arm()
}

// Handle returns what [Config] has.
func (p *Pool) Handle() any { return p.handle }

// Clears returns when p clears memory.
func (p *Pool) Clears() Clear { return p.clear }

// Options returns what p was given of those that statistics show.
func (p *Pool) Options() stats.Options { return p.options }

// Class returns the class of objects whose slices have room for size bytes, at most
// MaxClassed.
func (p *Pool) Class(size int) uint8 {
	return uint8(p.grid.ClassWith(uint32(max(size-1, int(p.newMask.Load())))))
}

// Capacity returns the bytes that slices of class k have.
func (p *Pool) Capacity(k uint8) int { return p.grid.Capacity(int(k)) }

// Sizes returns the bounds as they were given, clamped.
func (p *Pool) Sizes() (minSize, maxSize int) {
	if s := p.size.Load(); s != nil {
		return s.min, s.max
	}
	return 0, 0
}

// allObjects returns the objects that p has, of all types.
func (p *Pool) allObjects() []*objects {
	if all := p.objects.Load(); all != nil {
		return *all
	}
	return nil
}

// bytes returns what an item of c counts: an odd one as much as one of the next class.
func (p *Pool) bytes(c *class) int {
	if c.odd() {
		return p.grid.Capacity(c.index() + 1)
	}
	return int(c.Capacity)
}

// class returns class k of r, and oddClass the odd class behind it.
func (p *Pool) class(r *row, k int) *class { return p.classAt(r, 2*k) }

func (p *Pool) oddClass(r *row, k int) *class { return p.classAt(r, 2*k+1) }

func (p *Pool) classAt(r *row, at int) *class {
	if c := r.classes[at].Load(); c != nil {
		return c
	}
	return p.makeClass(r, at)
}

func (p *Pool) makeClass(r *row, at int) *class {
	p.shared.Mu.Lock()
	defer p.shared.Mu.Unlock()
	if c := r.classes[at].Load(); c != nil {
		return c
	}
	c, s, room := &class{row: r, at: at}, p.size.Load(), 0
	c.Head = r.headAt(uint32(at))
	bytes := p.bytes(c)
	if p.shared.Budget.Total == 0 || c.Capacity == 0 || s.has(c.index()) { // none is set aside for others
		room = p.shared.StackRoom(bytes, 2*(s.maxClass-s.minClass+1)<<r.objects)
	}
	c.Init(c.Head, &p.shared, room, bytes)
	p.open(c)
	r.classes[at].Store(c)
	if c.odd() {
		c.lends()
	}
	return c
}

// allClasses yields the classes of slices that were made, and those of objects.
func (p *Pool) allClasses(yield func(*class) bool) {
	more := p.row.each(yield)
	for _, o := range p.allObjects() {
		more = more && o.row.each(yield)
	}
}

// openAll opens all classes, unless there is a reason against it. The caller holds Shared.Mu.
func (p *Pool) openAll() {
	for c := range p.allClasses {
		p.open(c)
	}
}

// open opens class c to the fast paths, unless there is a reason against it. The
// caller holds Shared.Mu.
func (p *Pool) open(c *class) { c.Open(!p.closes(c)) }

// closes reports whether class c is closed to the fast paths.
func (p *Pool) closes(c *class) bool {
	return !p.size.Load().has(c.index()) || p.clear == ClearOnRelease ||
		sanitize.Enabled || check.Closes() || p.sampler.On() ||
		p.limiter != nil && (c.row.objects > 0 || p.portable) // these have no fast path that counts
}

// drop drops everything that class c keeps and returns how many bytes that was. The
// caller holds Shared.Mu.
func (p *Pool) drop(c *class) (freed int64) {
	n := int64(c.Drop())
	p.noteDrop(n)
	return n * int64(p.bytes(c))
}

// noteDrop notes when p dropped idle items last, if it did.
func (p *Pool) noteDrop(items int64) {
	if items > 0 {
		p.lastDrop.Store(int64(time.Since(started)))
	}
}

// started is the moment from which durations are counted. Types of this package have no
// time.Time: with it, programs would link 70 KiB of what writes times.
var started = time.Now()
