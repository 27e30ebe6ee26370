//go:build octet_purego

package bytebuf_test

const purego = true
