// Package snappy stands for github.com/golang/snappy.
package snappy

func Encode(dst, src []byte) []byte { panic("a stub") }
