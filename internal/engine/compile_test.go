package engine

import (
	"testing"

	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/testenv"
)

// The fast paths call nothing except pin, unpin and the slow paths.
func TestFastPathsCallNothing(t *testing.T) {
	if !rt.Pinned {
		t.Skip("the fast paths are those of the portable engine, whose lock is a call")
	}
	testenv.Compile(t, "-m").WantInlined(t, "(*Pool).Class", "(*row).head")
	testenv.WantCallsOnly(t, `engine\.(\(\*(Pool\)\.(New|TryNew|Release|releaseLimited)|objects\)\.tryPut))$`, 5,
		testenv.Pinning+`|.*/engine\.\(\*(Pool|objects)\)\.(headOf|New|newSlow|lendHere|Admit|NewAdmitted|CapacityOf|releaseLimited|releaseSlow|refuse)|.*/limit\.\(\*Limit\)\.(Admit|admit|closedSlow|AdmitUpTo|Give)`)
}
