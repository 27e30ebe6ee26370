// Package gozstd stands for github.com/valyala/gozstd.
package gozstd

func CompressLevel(dst, src []byte, level int) []byte { panic("a stub") }
