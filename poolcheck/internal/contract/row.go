package contract

import (
	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
	"github.com/octet-go/octet/poolcheck/internal/domain"
	"github.com/octet-go/octet/poolcheck/internal/ir"
	"github.com/octet-go/octet/poolcheck/internal/paths"
)

// apply calls a function that row describes.
func (r *run) apply(s *domain.State, reg *ssa.Call, c *ssa.CallCommon, row *api.Func, args []domain.Value) []*domain.State {
	at := r.At(reg)
	arg := func(k int) domain.Value {
		if k < 0 || k >= len(args) {
			return domain.Value{}
		}
		return args[k]
	}
	results := make([]domain.Value, c.Signature().Results().Len())
	show := func(e api.Effect, rel domain.Rel) {
		if e.Res < len(results) {
			shown := arg(e.Arg).As(rel)
			if rel == domain.View {
				shown = r.Content(s, arg(e.Arg)).Shown()
			}
			results[e.Res] = results[e.Res].Join(domain.Value{Refs: shown.Refs})
		}
	}
	taken := make(map[int]bool) // arguments that the row speaks of
	for _, e := range row.Effects {
		switch e.Op {
		case api.Release, api.Consume, api.Disown, api.Mention, api.Reset, api.Share, api.ShareAny, api.Keep, api.Opaque, api.Spawn, api.Attach:
			taken[e.Arg] = true
		}
	}
	for k, v := range args {
		if !taken[k] {
			r.UseAll(s, v, at)
		}
	}
	pool := r.p.poolOf(c, row)
	for _, e := range row.Effects {
		v := arg(e.Arg)
		switch e.Op {
		case api.Acquire:
			if reg == nil || e.Res >= len(results) {
				break
			}
			k := -1
			if len(results) > 1 {
				k = e.Res
			}
			o := r.Acquire(s, reg, k, row.Family, pool)
			if n := len(results); n > 1 && ir.IsError(c.Signature().Results().At(n-1).Type()) {
				o.Fails = reg
			}
			results[e.Res] = domain.Of(o)
		case api.Release:
			r.Release(s, v, at)
		case api.Whole:
			show(e, domain.Whole)
		case api.Part:
			show(e, domain.Part)
		case api.View:
			show(e, domain.View)
		case api.Keep:
			r.Use(s, v, at)
			r.Keep(s, v, at)
		case api.Opaque:
			r.Use(s, v, at)
			r.Lose(s, v)
		case api.Consume:
			r.Use(s, v, at)
			if ref, ok := v.Single(); ok && s.Life.Get(ref.Obj).Phase == domain.Live {
				s.Life.Set(ref.Obj, domain.Life{Phase: domain.Released, At: at, By: at, Grown: at})
			}
			if reg != nil {
				results[0] = domain.Of(r.Acquire(s, reg, -1, row.Family, pool))
			}
		case api.Disown, api.ShareAny:
			r.LoseItself(s, v)
		case api.Reset:
			s.Drop(func(x domain.Ref) bool { return x.Rel == domain.View && v.Mentions(x.Obj) })
		case api.Attach:
			r.Attach(s, v, arg(e.Arg+1))
		case api.Send:
			r.Use(s, v, at)
			r.Send(s, v, at)
			return r.sent(s, reg, v, results, ir.Args(c)[e.Arg])
		case api.Share:
			r.Use(s, v, at)
			r.Share(s, v, 1, at)
		case api.Spawn:
			if ref, ok := v.Single(); ok && paths.Closure(ref.Obj) != nil {
				fn := paths.Closure(ref.Obj)
				r.Spawn(s, at, fn, nil, paths.Captured(s, ref.Obj, fn), nil, v)
			} else {
				r.Escape(s, v, at)
			}
		case api.Window:
			if of, ok := r.Decoder(s, ir.Args(c)[e.Arg], ""); ok && reg != nil {
				k := -1
				if len(results) > 1 {
					k = e.Res
				}
				results[e.Res] = domain.Of(r.Window(s, reg, k, of))
			}
		case api.Turn:
			if of, ok := r.Decoder(s, ir.Args(c)[e.Arg], ""); ok {
				r.Turn(s, of, at)
			}
		case api.NonNil:
			if e.Res < len(results) {
				results[e.Res].Fact = domain.NonNil
			}
		case api.Nil:
			if e.Res < len(results) {
				results[e.Res].Fact = domain.Nil
			}
		case api.Sound: // writing into pooled memory does not fail, unless a limit could refuse that memory
			_, fixed := ir.Args(c)[e.Arg].(*ssa.Const)
			if ref, ok := v.Single(); e.Res < len(results) && (fixed || ok && ref.Obj.Kind == domain.Acquired && !admitted(ref.Obj)) {
				results[e.Res].Fact = domain.Nil
			}
		case api.NoReturn:
			return nil
		}
	}
	r.SetResults(s, reg, results)
	return []*domain.State{s}
}
