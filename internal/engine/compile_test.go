package engine

import (
	"testing"

	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/testenv"
)

func TestFileMap(t *testing.T) { testenv.WantFileMap(t) }

// The fast paths call nothing except pin, unpin and the slow paths.
func TestFastPathsCallNothing(t *testing.T) {
	if !rt.Pinned {
		t.Skip("the fast paths are those of the portable engine, whose lock is a call")
	}
	c := testenv.Compile(t, "-m")
	c.WantInlined(t, "(*stack).pop", "(*stack).push", "(*Record).pop", "(*Record).push", "(*Head).Record", "(*records).at", "item.some", "item.slice",
		"(*Head).stripe", "stripeOf", "(*Record).current", "(*Record).install", "(*Pool).Class")
	testenv.WantCallsOnly(t, `engine\.\(\*(Pool\)\.(New|TryNew|Release|newLimited|releaseLimited)|Head\)\.take|objects\)\.tryPut)$`, 7,
		testenv.Pinning+`|.*/engine\.\(\*Pool\)\.(New|newSlow|borrow|newLimited|newAdmitted|CapacityOf|releaseLimited|releaseSlow)|.*/engine\.\(\*limiter\)\.(admit|closedSlow|refuse|give)|.*/rt\.\(\*Lock\)\.Unlock`)
}
