// Package extend makes slices longer.
package extend

// By returns p with n more bytes, and what these are.
func By(p []byte, n int) (all, added []byte) {
	if total := len(p) + n; cap(p) >= total {
		all = p[:total]
	} else {
		all = make([]byte, total)
		copy(all, p)
	}
	return all, all[len(p):]
}
