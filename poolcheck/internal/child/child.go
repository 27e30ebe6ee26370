// Package child runs commands that end when this one is told to end, and all that they have started with them.
package child

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// grace is the time that a command has to end by itself, before it is killed.
const grace = 3 * time.Second

// Signalled returns a context that ends with the first SIGINT or SIGTERM. A second one ends this process.
func Signalled() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// Command returns a command that ctx ends.
func Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = grace
	ownGroup(cmd)
	return cmd
}

// Run runs a command of [Command]. If ctx has ended it, what it started is killed as well.
func Run(ctx context.Context, cmd *exec.Cmd) error {
	err := cmd.Run()
	if ctx.Err() != nil && cmd.Process != nil {
		killGroup(cmd)
	}
	return err
}
