//go:build !(go1.26 && !go1.28)

package rt

// Tested says whether this Go release is one that was tested, for packages that
// decide by an ordinary condition what they may rely on.
const Tested = false
