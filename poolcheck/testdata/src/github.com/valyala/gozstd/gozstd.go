// Package gozstd stands for github.com/valyala/gozstd.
package gozstd

func Compress(dst, src []byte) []byte { panic("a stub") }

func CompressLevel(dst, src []byte, level int) []byte { panic("a stub") }

func Decompress(dst, src []byte) ([]byte, error) { panic("a stub") }
