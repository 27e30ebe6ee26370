//go:build octet_purego && !race

package binary_test

func init() { pureGo = true }
