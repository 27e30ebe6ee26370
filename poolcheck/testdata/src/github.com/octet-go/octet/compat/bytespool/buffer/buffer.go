// Package buffer has what the test programs use of compat/bytespool/buffer.
package buffer

import "github.com/octet-go/octet/bytespool/buffer"

type Buffer = buffer.Buffer

func Get(capacity ...int) *Buffer { return buffer.Get() }
func Put(b *Buffer)               { b.Release() }
