package binary

import "encoding/binary"

// Bool reads a byte. Any value but 0 is true.
func (s *StreamDecoder[O]) Bool() bool { return s.with(1).Bool() }

// Uint8 reads a byte.
func (s *StreamDecoder[O]) Uint8() uint8 { return s.with(1).Uint8() }

// Int8 reads a byte.
func (s *StreamDecoder[O]) Int8() int8 { return s.with(1).Int8() }

// Uint16 reads 2 bytes.
func (s *StreamDecoder[O]) Uint16() uint16 { return s.with(2).Uint16() }

// Int16 reads 2 bytes.
func (s *StreamDecoder[O]) Int16() int16 { return s.with(2).Int16() }

// Uint24 reads 3 bytes.
func (s *StreamDecoder[O]) Uint24() uint32 { return s.with(3).Uint24() }

// Uint32 reads 4 bytes.
func (s *StreamDecoder[O]) Uint32() uint32 { return s.with(4).Uint32() }

// Int32 reads 4 bytes.
func (s *StreamDecoder[O]) Int32() int32 { return s.with(4).Int32() }

// Uint64 reads 8 bytes.
func (s *StreamDecoder[O]) Uint64() uint64 { return s.with(8).Uint64() }

// Int64 reads 8 bytes.
func (s *StreamDecoder[O]) Int64() int64 { return s.with(8).Int64() }

// Float32 reads 4 bytes in IEEE 754 format.
func (s *StreamDecoder[O]) Float32() float32 { return s.with(4).Float32() }

// Float64 reads 8 bytes in IEEE 754 format.
func (s *StreamDecoder[O]) Float64() float64 { return s.with(8).Float64() }

// Uvarint reads an unsigned number with 7 bits per byte, also in a form that is longer
// than necessary; see [Decoder.Uvarint] and [StreamDecoder.Canonical].
func (s *StreamDecoder[O]) Uvarint() uint64 { return s.withVarint().Uvarint() }

// Varint reads a signed number in zigzag form; see [Decoder.Varint].
func (s *StreamDecoder[O]) Varint() int64 { return s.withVarint().Varint() }

// withVarint is with for a varint. Its length shows only in its bytes, so it loads them
// one by one.
func (s *StreamDecoder[O]) withVarint() *Decoder[O] {
	for n := 1; n <= binary.MaxVarintLen64; n++ {
		if p := s.with(n).Peek(n); p == nil || p[n-1] < 0x80 {
			break
		}
	}
	return (*Decoder[O])(&s.d)
}
