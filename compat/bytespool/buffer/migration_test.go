package buffer_test

import (
	"bytes"
	"io"

	"github.com/octet-go/octet/compat/bytespool"
	"github.com/octet-go/octet/compat/bytespool/buffer"
)

// Everything that programs written for github.com/fufuok/bytespool/buffer may
// name, with its type. This file need only compile.
var (
	_ []error = []error{buffer.ErrTooLarge, buffer.ErrTruncation, buffer.ErrGrow, buffer.ErrClose}
	_ *int    = &buffer.DefaultBufferSize

	_ = buffer.Buffer{B: []byte(nil)}

	_ func(*buffer.Buffer) *buffer.Buffer = buffer.Clone
	_ func(...int) *buffer.Buffer         = buffer.Get
	_ func(int) *buffer.Buffer            = buffer.Make
	_ func(uint64) *buffer.Buffer         = buffer.Make64
	_ func() *buffer.Buffer               = buffer.MakeMax
	_ func() *buffer.Buffer               = buffer.MakeMin
	_ func(int) *buffer.Buffer            = buffer.New
	_ func([]byte) *buffer.Buffer         = buffer.NewBuffer
	_ func([]byte) *buffer.Buffer         = buffer.NewBytes
	_ func(string) *buffer.Buffer         = buffer.NewString
	_ func(*buffer.Buffer)                = buffer.Put
	_ func(*buffer.Buffer) bool           = buffer.Release
	_ func([]byte) *bytes.Reader          = buffer.GetReader
	_ func(*bytes.Reader)                 = buffer.PutReader
	_ func() int                          = buffer.MinSize
	_ func() int                          = buffer.MaxSize
	_ func(int, int)                      = buffer.SetCapacity
	_ func(bool)                          = buffer.SetWithStats
	_ func() bool                         = buffer.GetWithStats
	_ func() map[string]uint64            = buffer.RuntimeStats
	_ func(int) bytespool.RuntimeSummary  = buffer.RuntimeStatsSummary

	_ func(*buffer.Buffer, []byte)                   = (*buffer.Buffer).Append
	_ func(*buffer.Buffer, byte)                     = (*buffer.Buffer).AppendByte
	_ func(*buffer.Buffer, string)                   = (*buffer.Buffer).AppendString
	_ func(*buffer.Buffer) []byte                    = (*buffer.Buffer).Bytes
	_ func(*buffer.Buffer) int                       = (*buffer.Buffer).Cap
	_ func(*buffer.Buffer) *buffer.Buffer            = (*buffer.Buffer).Clone
	_ func(*buffer.Buffer) error                     = (*buffer.Buffer).Close
	_ func(*buffer.Buffer) []byte                    = (*buffer.Buffer).Copy
	_ func(*buffer.Buffer, []byte) int               = (*buffer.Buffer).CopyTo
	_ func(*buffer.Buffer) *bytes.Reader             = (*buffer.Buffer).GetReader
	_ func(*buffer.Buffer, int)                      = (*buffer.Buffer).Grow
	_ func(*buffer.Buffer, int)                      = (*buffer.Buffer).Guarantee
	_ func(*buffer.Buffer) int                       = (*buffer.Buffer).Len
	_ func(*buffer.Buffer)                           = (*buffer.Buffer).Put
	_ func(*buffer.Buffer, ...*bytes.Reader)         = (*buffer.Buffer).PutAll
	_ func(*buffer.Buffer, *bytes.Reader) bool       = (*buffer.Buffer).PutReader
	_ func(*buffer.Buffer, io.Reader) (int64, error) = (*buffer.Buffer).ReadFrom
	_ func(*buffer.Buffer, int64)                    = (*buffer.Buffer).RefAdd
	_ func(*buffer.Buffer)                           = (*buffer.Buffer).RefDec
	_ func(*buffer.Buffer)                           = (*buffer.Buffer).RefInc
	_ func(*buffer.Buffer)                           = (*buffer.Buffer).RefReset
	_ func(*buffer.Buffer, int64)                    = (*buffer.Buffer).RefStore
	_ func(*buffer.Buffer) int64                     = (*buffer.Buffer).RefSwapDec
	_ func(*buffer.Buffer) int64                     = (*buffer.Buffer).RefValue
	_ func(*buffer.Buffer) bool                      = (*buffer.Buffer).Release
	_ func(*buffer.Buffer)                           = (*buffer.Buffer).Reset
	_ func(*buffer.Buffer, []byte)                   = (*buffer.Buffer).Set
	_ func(*buffer.Buffer, string)                   = (*buffer.Buffer).SetString
	_ func(*buffer.Buffer) string                    = (*buffer.Buffer).String
	_ func(*buffer.Buffer, int)                      = (*buffer.Buffer).Truncate
	_ func(*buffer.Buffer) string                    = (*buffer.Buffer).UnsafeString
	_ func(*buffer.Buffer, []byte) (int, error)      = (*buffer.Buffer).Write
	_ func(*buffer.Buffer, byte) error               = (*buffer.Buffer).WriteByte
	_ func(*buffer.Buffer, string) (int, error)      = (*buffer.Buffer).WriteString
	_ func(*buffer.Buffer, io.Writer) (int64, error) = (*buffer.Buffer).WriteTo
)
