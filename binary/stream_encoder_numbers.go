package binary

// Bool encodes a byte: 1 for true, 0 for false.
func (e *StreamEncoder[O]) Bool(v bool) *StreamEncoder[O] { return e.put(e.tail().Bool(v)) }

// Uint8 encodes a byte.
func (e *StreamEncoder[O]) Uint8(v uint8) *StreamEncoder[O] { return e.put(e.tail().Uint8(v)) }

// Int8 encodes a byte.
func (e *StreamEncoder[O]) Int8(v int8) *StreamEncoder[O] { return e.put(e.tail().Int8(v)) }

// Uint16 encodes 2 bytes.
func (e *StreamEncoder[O]) Uint16(v uint16) *StreamEncoder[O] { return e.put(e.tail().Uint16(v)) }

// Int16 encodes 2 bytes.
func (e *StreamEncoder[O]) Int16(v int16) *StreamEncoder[O] { return e.put(e.tail().Int16(v)) }

// Uint24 encodes the 3 low bytes of v and drops the highest.
func (e *StreamEncoder[O]) Uint24(v uint32) *StreamEncoder[O] { return e.put(e.tail().Uint24(v)) }

// Uint32 encodes 4 bytes.
func (e *StreamEncoder[O]) Uint32(v uint32) *StreamEncoder[O] { return e.put(e.tail().Uint32(v)) }

// Int32 encodes 4 bytes.
func (e *StreamEncoder[O]) Int32(v int32) *StreamEncoder[O] { return e.put(e.tail().Int32(v)) }

// Uint64 encodes 8 bytes.
func (e *StreamEncoder[O]) Uint64(v uint64) *StreamEncoder[O] { return e.put(e.tail().Uint64(v)) }

// Int64 encodes 8 bytes.
func (e *StreamEncoder[O]) Int64(v int64) *StreamEncoder[O] { return e.put(e.tail().Int64(v)) }

// Float32 encodes v in IEEE 754 format, as 4 bytes.
func (e *StreamEncoder[O]) Float32(v float32) *StreamEncoder[O] { return e.put(e.tail().Float32(v)) }

// Float64 encodes v in IEEE 754 format, as 8 bytes.
func (e *StreamEncoder[O]) Float64(v float64) *StreamEncoder[O] { return e.put(e.tail().Float64(v)) }

// Uvarint encodes v with 7 bits per byte; see [Appender.Uvarint].
func (e *StreamEncoder[O]) Uvarint(v uint64) *StreamEncoder[O] { return e.put(e.tail().Uvarint(v)) }

// Varint encodes v in zigzag form; see [Appender.Varint].
func (e *StreamEncoder[O]) Varint(v int64) *StreamEncoder[O] { return e.put(e.tail().Varint(v)) }
