package buffer

import (
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/testenv"
)

// A family has Buffers, shares of them, slices that others look at, and bodies, with the content that
// each of them should have.
type family struct {
	*testing.T
	*rand.Rand
	pool    *engine.Pool
	members []*member
	bodies  []*sent
}

type member struct {
	b        *Buffer
	want     string
	views    []view // each has a reference
	released bool   // the first reference is gone
}

type view struct {
	shows []byte
	want  string
}

type sent struct {
	r    *Body
	all  string
	rest string // which was not read yet
}

// newMember adds a Buffer.
func (f *family) newMember() {
	var b *Buffer
	switch f.IntN(4) {
	case 0:
		b = Get()
	case 1:
		b = Make(f.IntN(200))
	case 2:
		b = new(Buffer)
	case 3:
		b = NewBuffer(f.pool.New(1 + f.IntN(200))[:0])
	}
	f.members = append(f.members, &member{b: b})
}

// appends are the ways in which s is appended to a Buffer.
var appends = []func(b *Buffer, s string){
	func(b *Buffer, s string) { b.Write([]byte(s)) },
	func(b *Buffer, s string) { b.WriteString(s) },
	func(b *Buffer, s string) { b.ReadFrom(strings.NewReader(s)) },
	func(b *Buffer, s string) { b.Grow(len(s)); b.B = append(b.B, s...) },
	func(b *Buffer, s string) {
		for _, c := range []byte(s) {
			b.WriteByte(c)
		}
	},
}

// step does what the owner of a Buffer may do, or who has something of it.
func (f *family) step() {
	if len(f.members) == 0 || len(f.members) < 6 && f.IntN(20) == 0 {
		f.newMember()
	}
	m := f.members[f.IntN(len(f.members))]
	b := m.b
	if m.released {
		f.releaseView(m)
		return
	}
	// While others look at its array, a Buffer that has it may only be appended to.
	rewrites := !b.refs.shared() || b.tenure.borrows()
	switch op := f.IntN(16); {
	case op < 4:
		s := strings.Repeat(string(rune('a'+f.IntN(26))), 1+f.IntN(150))
		if i := f.IntN(len(appends) + 1); i < len(appends) {
			appends[i](b, s)
		} else if cap(b.B) == 0 {
			return // the pool would take more arrays than it has handed out
		} else {
			b.B = append(b.B, s...)
		}
		m.want += s
	case op == 4:
		n := f.IntN(len(m.want) + 1)
		if s := string(b.Next(n)); s != m.want[:n] {
			f.Errorf("read %q, want %q", s, m.want[:n])
		}
		m.want = m.want[n:]
	case op == 5: // a part of itself
		n := f.IntN(len(m.want) + 1)
		b.Write(b.Bytes()[n:])
		m.want += m.want[n:]
	case op == 6 && rewrites:
		n := f.IntN(len(m.want) + 1)
		b.Truncate(n)
		m.want = m.want[:n]
	case op == 7 && rewrites:
		n := f.IntN(len(m.want) + 1)
		rest := b.Bytes()[n:]
		b.Reset()
		if m.want = m.want[n:]; f.IntN(2) == 0 {
			m.want = ""
		} else {
			b.Write(rest)
		}
	case op == 8:
		array, others := unsafe.SliceData(b.B), b.refs.shared() || b.tenure.borrows()
		d := b.Detach()
		if string(d) != m.want || b.B != nil || len(d) > 0 && (&d[0] == array) == others {
			f.Errorf("detached %q, want %q; others have the array: %v", d, m.want, others)
		}
		f.scribble(d[:cap(d)])
		f.pool.Release(d)
		m.want = ""
	case op < 11 && len(m.views) < 3:
		b.RefInc()
		m.views = append(m.views, view{b.Bytes(), m.want})
	case op == 11 && len(m.views) > 0:
		f.releaseView(m)
	case op == 12 && len(f.members) < 6:
		f.members = append(f.members, &member{b: b.Share(), want: m.want})
	case op == 13 && len(f.bodies) < 4:
		f.bodies = append(f.bodies, &sent{b.Body(), m.want, m.want})
	case op == 14 && len(f.bodies) > 0:
		f.read(f.IntN(len(f.bodies)))
	case op == 15 && f.IntN(2) == 0:
		f.release(m)
	}
}

// releaseView releases a reference to m whose owner looks at something.
func (f *family) releaseView(m *member) {
	i := f.IntN(len(m.views))
	m.views = slices.Delete(m.views, i, i+1)
	f.gaveUp(m)
}

// release releases the first reference to m.
func (f *family) release(m *member) {
	m.released = true
	f.gaveUp(m)
}

func (f *family) gaveUp(m *member) {
	last := m.released && len(m.views) == 0
	if m.b.release() && !last {
		f.Error("a release that is not the last put an array into the pool")
	}
	if last {
		f.members = slices.DeleteFunc(f.members, func(o *member) bool { return o == m })
	}
}

// read reads body i, closes it, or sends it again.
func (f *family) read(i int) {
	s := f.bodies[i]
	p := make([]byte, 1+f.IntN(100))
	switch n, err := s.r.Read(p); {
	case !strings.HasPrefix(s.rest, string(p[:n])) || n == 0 && s.rest != "" || err != nil && (err != io.EOF || s.rest != ""):
		f.Errorf("a body shows %q, %v, want %q", p[:n], err, s.rest)
	default:
		s.rest = s.rest[n:]
	}
	if f.IntN(4) == 0 {
		again, err := s.r.GetBody()
		if err != nil {
			f.Fatal(err)
		}
		again.Read(nil) // has a reference from now on
		f.bodies = append(f.bodies, &sent{again.(*Body), s.all, s.all})
	}
	if f.IntN(2) == 0 {
		f.closeBody(i)
	}
}

func (f *family) closeBody(i int) {
	f.bodies[i].r.Close()
	f.bodies = slices.Delete(f.bodies, i, i+1)
}

// scribble writes to memory that nobody else has.
func (f *family) scribble(p []byte) {
	for i := range p {
		p[i] = '!'
	}
}

// check looks at everything, after writing to what is idle.
func (f *family) check() {
	for size := 2; size <= 8<<10 && check.Current() == check.Off; size *= 2 {
		q := f.pool.New(size)
		f.scribble(q)
		f.pool.Release(q)
	}
	for _, m := range f.members {
		if !m.released && (m.b.String() != m.want || m.b.Len() != len(m.want)) {
			f.Errorf("a Buffer has %.40q, want %.40q", m.b, m.want)
		}
		for _, v := range m.views {
			if string(v.shows) != v.want {
				f.Errorf("who has a reference sees %.40q, want %.40q", v.shows, v.want)
			}
		}
		const most = 8 // each of another member, or what others look at
		behind := 0
		for o := m.b.owner; o != nil; o = o.owner {
			behind++
		}
		if behind > most {
			f.Errorf("%d Buffers stand behind one", behind)
		}
	}
	for _, s := range f.bodies {
		if got := string(s.r.content[s.r.off:]); got != s.rest || int(s.r.Size()) != len(s.all) {
			f.Errorf("a body shows %.40q of %d bytes, want %.40q of %d", got, s.r.Size(), s.rest, len(s.all))
		}
	}
}

// run takes many steps, and then gives up all that is left.
func (f *family) run() {
	for i := 0; i < 200 && !f.Failed(); i++ {
		f.step()
		f.check()
	}
	for len(f.members)+len(f.bodies) > 0 && !f.Failed() {
		if n := f.IntN(len(f.members) + len(f.bodies)); n >= len(f.members) {
			f.closeBody(n - len(f.members))
		} else if m := f.members[n]; !m.released {
			f.release(m)
		} else {
			f.releaseView(m)
		}
		f.check()
	}
	if n := inUse(f.pool); n != 0 {
		f.Errorf("%d arrays are in use in the end", n)
	}
}

// Whatever owners do with Buffers, shares and bodies, each shows what it should, no memory that
// somebody sees is idle, and none is in use in the end; and package check finds nothing.
func TestFamilies(t *testing.T) {
	families := func(t *testing.T, p *engine.Pool) {
		for seed := range uint64(testenv.Rounds(300)) {
			f := family{T: t, Rand: rand.New(rand.NewPCG(seed, 1)), pool: p}
			if f.run(); t.Failed() {
				t.Fatalf("seed %d", seed)
			}
		}
	}
	onAllEngines(t, families)
	for _, mode := range checkedModes {
		t.Run(mode.Mode.String(), func(t *testing.T) {
			found := checking(t, mode)
			families(t, shared.engine)
			for _, f := range found() {
				t.Error(f.Error())
			}
			check.Set(check.Config{})
		})
	}
}

// A share has the memory of the Buffer, and the Buffer counts it, until it is released or has moved;
// also a share of a share, and whatever bodies there are.
func TestShareCounts(t *testing.T) {
	onAllEngines(t, func(t *testing.T, p *engine.Pool) {
		for _, hasBody := range []bool{false, true} {
			b := newString("xhello")
			b.Next(1)
			if hasBody {
				defer b.Body().Close()
			}
			s := b.Share()
			want := func(what string, n int64) {
				t.Helper()
				if b.refs.Value() != n || s.refs.Value() > 0 {
					t.Errorf("%s, a body: %v: the counts are %d and %d, want %d and 0", what, hasBody, b.refs.Value(), s.refs.Value(), n)
				}
			}
			if want("a share", 1); &s.B[0] != &b.B[1] {
				t.Error("the share has other memory")
			}
			u := s.Share()
			want("a share of it", 2)
			r := s.Body()
			v := s.Share()
			want("one more, since it has a body", 3)
			r.Close()
			s.Release()
			u.Release()
			want("two are released", 1)
			v.WriteByte('!')
			want("the last has moved", 0)
			v.Release()
			b.Release()
		}
	})
}
