//go:build octet_purego

package rt

// Stripe returns 0: without package unsafe nothing cheap tells goroutines apart.
// Callers that pass over a lock that is taken still spread.
func Stripe() uint { return 0 }
