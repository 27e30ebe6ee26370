package idioms

import "math/big"

// numberPool keeps the temporaries of one calculation.
type numberPool struct{ idle []*big.Int }
