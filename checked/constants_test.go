package checked

import (
	"testing"

	"github.com/octet-go/octet/internal/check"
)

// Modes and actions are converted by number.
func TestConstants(t *testing.T) {
	for mode, want := range map[Mode]check.Mode{Off: check.Off, Sample: check.Sample, Full: check.Full, Guard: check.Guard} {
		if check.Mode(mode) != want {
			t.Errorf("%v is %v in package check", mode, check.Mode(mode))
		}
	}
	for action, want := range map[Action]check.Action{Default: check.ActionDefault, Panic: check.ActionPanic, Log: check.ActionLog} {
		if check.Action(action) != want {
			t.Errorf("%d is %d in package check", action, check.Action(action))
		}
	}
}
