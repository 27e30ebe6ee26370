// Package mem is a stub with some signatures of google.golang.org/grpc/mem.
package mem

type BufferPool interface {
	Get(length int) *[]byte
	Put(*[]byte)
}

func DefaultBufferPool() BufferPool { return nil }

type Buffer interface {
	ReadOnlyData() []byte
	Ref()
	Free()
	Len() int
}

func Copy(data []byte, pool BufferPool) Buffer { return nil }
