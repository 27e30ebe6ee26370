//go:build !(amd64 || 386) || race || octet_purego

package rt

// Unlock unlocks l.
func (l *Lock) Unlock() { l.held.Store(0) }
