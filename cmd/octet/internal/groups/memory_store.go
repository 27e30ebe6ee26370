package groups

import (
	"math/bits"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// A store is a pool of byte slices of all sizes, seen by what it keeps. The time of
// a single call is not measured here, so calls through an interface do no harm.
type store interface {
	get(size int) loan
	put(loan)
	misses() uint64 // gets that had to allocate

	// idle returns the bytes that are kept. It may take them out.
	idle() int64
}

// A loan is a slice from a store, and what the store needs to take it back without
// allocating.
type loan struct {
	b   []byte
	box *[]byte
}

// takeAll gets slices for all of held, and writes to every page of them.
func takeAll(s store, held []loan, size int) {
	const page = 4 << 10
	for i := range held {
		l := s.get(size)
		for at := 0; at < size; at += page {
			l.b[at] = 1
		}
		held[i] = l
	}
}

func putAll(s store, held []loan) {
	for i := range held {
		s.put(held[i])
		held[i] = loan{}
	}
}

type octetStore struct{ p *bytespool.CapacityPools }

func newOctetStore(opts ...bytespool.Option) func() store {
	return func() store { return octetStore{bytespool.NewCapacityPools(octetMin, octetMax, opts...)} }
}

func (s octetStore) get(size int) loan { return loan{b: s.p.New(size)} }
func (s octetStore) put(l loan)        { s.p.Release(l.b) }
func (s octetStore) misses() uint64    { return s.p.Stats().Misses }
func (s octetStore) idle() int64       { return s.p.Stats().IdleBytes }

// storeClasses is the number of powers of two up to octetMax.
const storeClasses = 23

// storeClass returns the class of a size, and its capacity.
func storeClass(size int) (class, capacity int) {
	class = bits.Len(uint(max(size, 1) - 1))
	return class, 1 << class
}

// syncStore is a sync.Pool for each power of two, as programs have them.
type syncStore struct {
	pools  [storeClasses]sync.Pool
	missed atomic.Uint64
}

func newSyncStore() store { return new(syncStore) }

func (s *syncStore) get(size int) loan {
	class, capacity := storeClass(size)
	box, ok := s.pools[class].Get().(*[]byte)
	if !ok {
		s.missed.Add(1)
		b := make([]byte, capacity)
		box = &b
	}
	return loan{(*box)[:size], box}
}

func (s *syncStore) put(l loan) {
	class, _ := storeClass(cap(*l.box))
	s.pools[class].Put(l.box)
}

func (s *syncStore) misses() uint64 { return s.missed.Load() }

func (s *syncStore) idle() (n int64) {
	for i := range s.pools {
		for {
			b, ok := s.pools[i].Get().(*[]byte) //poolcheck:ignore OCT004 it empties the pool
			if !ok {
				break
			}
			n += int64(cap(*b))
		}
	}
	return n
}

// channelStore is a free list for each power of two: a channel that slices are sent
// to while it has room.
type channelStore struct {
	lists  [storeClasses]chan []byte
	missed atomic.Uint64
}

// channelRoom is more slices than any row uses at a time.
const channelRoom = 16 << 10

func newChannelStore() store {
	s := new(channelStore)
	for i := range s.lists {
		s.lists[i] = make(chan []byte, channelRoom)
	}
	return s
}

func (s *channelStore) get(size int) loan {
	class, capacity := storeClass(size)
	select {
	case b := <-s.lists[class]:
		return loan{b: b[:size]}
	default:
		s.missed.Add(1)
		return loan{b: make([]byte, size, capacity)}
	}
}

func (s *channelStore) put(l loan) {
	class, _ := storeClass(cap(l.b))
	select {
	case s.lists[class] <- l.b:
	default:
	}
}

func (s *channelStore) misses() uint64 { return s.missed.Load() }

func (s *channelStore) idle() (n int64) {
	for class, list := range s.lists {
		n += int64(len(list)) << class
	}
	return n
}

// makeStore is no pool.
type makeStore struct{ missed atomic.Uint64 }

func newMakeStore() store { return new(makeStore) }

func (s *makeStore) get(size int) loan {
	s.missed.Add(1)
	return loan{b: make([]byte, size)}
}

func (s *makeStore) put(loan)       {}
func (s *makeStore) misses() uint64 { return s.missed.Load() }
func (s *makeStore) idle() int64    { return 0 }

// A policy is a store that takes part in a contest by how it keeps memory.
type policy struct {
	name   string
	ours   bool
	open   func() store
	retain time.Duration // how long it keeps what is not used, at least
}

var (
	octetDefault = policy{"octet", true, newOctetStore(), bytespool.DefaultRetain}
	octetDrained = octetRetain(0)
	keepsSync    = policy{"sync.Pool", false, newSyncStore, 0}
	keepsAlways  = policy{"channel", false, newChannelStore, 0}
	keepsNever   = policy{"make", false, newMakeStore, 0}
)

// octetRetain is octet with a retention and other options.
func octetRetain(d time.Duration, opts ...bytespool.Option) policy {
	text := "0"
	if d > 0 {
		text = strings.TrimSuffix(d.String(), "m0s") // 1m0s
		if text != d.String() {
			text += "m"
		}
	}
	return policy{"octet, retain " + text, true, newOctetStore(append(opts, bytespool.WithRetain(d))...), d}
}

// keepers returns a contestant for each policy.
func keepers(start func(policy) contest.Run, policies ...policy) []contest.Contestant {
	all := make([]contest.Contestant, len(policies))
	for i, p := range policies {
		all[i] = contest.Contestant{Name: p.name, Ours: p.ours, Start: func() contest.Run { return start(p) }}
	}
	return all
}
