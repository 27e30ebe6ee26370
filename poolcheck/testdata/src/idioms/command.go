package idioms

import (
	"bytes"
	"context"
	"os/exec"
	"sync"
)

var commandBufs = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func getCommandBuf() *bytes.Buffer {
	b := commandBufs.Get().(*bytes.Buffer)
	b.Reset()
	return b
}

type tool struct{ name string }

func (t *tool) command(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, t.name, args...)
}

// ok: the command has ended when its output is looked at.
func (t *tool) version(ctx context.Context) (string, error) {
	out, err := outputOf(t.command(ctx, "version"))
	defer commandBufs.Put(out)
	if err != nil {
		return "", err
	}
	return out.String(), nil
}

func outputOf(cmd *exec.Cmd) (*bytes.Buffer, error) {
	buf := getCommandBuf()
	cmd.Stdout = buf
	err := cmd.Run()
	return buf, err
}

// A redeemed buffer has the function that puts it back.
type redeemed struct {
	buf    []byte
	redeem func()
}

var redeemeds = sync.Pool{New: func() any { return newRedeemed() }}

func newRedeemed() *redeemed { return new(redeemed) }

// ok: the caller gets what puts it back.
func borrowRedeemed(n int) ([]byte, func()) {
	r := redeemeds.Get().(*redeemed)
	if r.redeem == nil {
		r.redeem = func() { redeemeds.Put(r) }
	}
	r.buf = append(r.buf[:0], make([]byte, n)...)
	return r.buf, r.redeem
}
