// Package snappy stands for github.com/golang/snappy.
package snappy

func Decode(dst, src []byte) ([]byte, error) { panic("a stub") }

func Encode(dst, src []byte) []byte { panic("a stub") }
