package nopool

import "testing"

func TestNothing(t *testing.T) {}
