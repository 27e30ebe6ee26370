package engine

import (
	"regexp"
	"strings"
	"testing"

	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/testenv"
)

func TestFileMap(t *testing.T) { testenv.WantFileMap(t) }

// The fast paths call nothing but what pins and unpins, and what is slow.
func TestFastPathsCallNothing(t *testing.T) {
	if !rt.Pinned {
		t.Skip("the fast paths are those of the portable engine, whose lock is a call")
	}
	c := testenv.Compile(t, "-m")
	c.WantInlined(t, "(*stack).has", "(*stack).remove", "(*stack).pop", "(*stack).push", "(*records).at", "item.some", "item.slice",
		"(*head).stripe", "stripeOf", "(*record).current", "(*record).install")
	calls := testenv.Calls(t, `engine\.\(\*(Pool\)\.(New|Release)|objects\)\.(take|put))$`)
	slow := regexp.MustCompile(`^(runtime\.(procPin|procUnpin|gcWriteBarrier\d|morestack_noctxt(\.abi0)?)|.*/engine\.\(\*(Pool\)\.(newSlow|releaseSlow)|objects\)\.(takeSlow|putSlow))|.*/rt\.\(\*Lock\)\.Unlock)$`)
	if len(calls) != 4 {
		t.Fatalf("found %d functions, want 4: %v", len(calls), calls)
	}
	for name, callees := range calls {
		for _, callee := range callees {
			if !slow.MatchString(callee) {
				t.Errorf("%s calls %s", name[strings.LastIndex(name, "/")+1:], callee)
			}
		}
	}
}
