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

// A monitor starts commands, and waits for them.
type monitor interface {
	Start(cmd *exec.Cmd) (chan int, error)
	Wait(cmd *exec.Cmd, ended chan int) (int, error)
}

// ok: the command has ended when its output is looked at.
func (t *tool) version(ctx context.Context, m monitor) (string, error) {
	out, err := outputOf(t.command(ctx, "version"), m)
	defer commandBufs.Put(out)
	if err != nil {
		return "", err
	}
	return out.String(), nil
}

func outputOf(cmd *exec.Cmd, m monitor) (*bytes.Buffer, error) {
	buf := getCommandBuf()
	cmd.Stdout = buf
	ended, err := m.Start(cmd)
	if err != nil {
		return nil, err
	}
	_, err = m.Wait(cmd, ended)
	return buf, err
}
