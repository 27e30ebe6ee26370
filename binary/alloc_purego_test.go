//go:build octet_purego && !race && !asan && !msan

package binary_test

func init() { pureGo = true }
