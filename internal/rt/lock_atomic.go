//go:build !(amd64 || 386) || race || octet_purego

package rt

// Unlock ends what TryLock or Lock began.
func (l *Lock) Unlock() { l.held.Store(0) }
