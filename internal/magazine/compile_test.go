package magazine

import (
	"testing"

	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/testenv"
)

// What the fast paths of other packages use is inlined there.
func TestFastPathsAreInlined(t *testing.T) {
	if !rt.Pinned {
		t.Skip("the fast paths are those of the portable engine, whose lock is a call")
	}
	c := testenv.Compile(t, "-m")
	c.WantInlined(t, "(*stack).newest", "(*stack).remove", "(*stack).push", "(*Record).Pop", "(*Record).Push", "(*Head).Record",
		"(*records).at", "stripeOf", "Item.Some", "ItemOf", "Item.Slice", "Grid.ClassWith", "Grid.StepWith")
}
