// Package frames hands out frames that are given back. Its functions are written in
// assembly.
package frames

type Frame struct{ Data []byte }

func Read(from string) (*Frame, error)
func Take() *Frame

func (f *Frame) Check() error
func (f *Frame) Release()

// A Shared frame counts its references.
type Shared struct{ Data []byte }

func Share() *Shared

func (s *Shared) Retain()
func (s *Shared) Release()

// A File is no memory.
type File struct{ Data []byte }

func Open() (*File, error)

func (f *File) Close()

func Bytes(n int) []byte
func Recycle(p []byte)
