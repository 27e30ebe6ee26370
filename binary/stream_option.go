package binary

// An EncoderOption changes what [NewStreamEncoder] makes: [BufferSize].
type EncoderOption interface{ encoderOption() }

// A DecoderOption changes what [NewStreamDecoder] makes: [BufferSize] and [Limit].
type DecoderOption interface{ decoderOption() }

// A StreamOption is an option for both.
type StreamOption interface {
	EncoderOption
	DecoderOption
}

type bufferSize int

func (bufferSize) encoderOption() {}
func (bufferSize) decoderOption() {}

type limit int64

func (limit) decoderOption() {}

// BufferSize sets the size of the buffer, in bytes, if it is positive. The default
// is 4,096, and the least is 16.
func BufferSize(n int) StreamOption { return bufferSize(n) }

// Limit bounds the input of a [StreamDecoder]: more than n bytes, if n is positive,
// are never handed out, and a value that does not fit fails with [ErrLimit], before
// memory is allocated for it. To tell whether the stream ends there, a decoder that
// is asked for more may read one byte beyond. There is no limit by default.
func Limit(n int64) DecoderOption { return limit(n) }

const (
	defaultBuffer = 4096
	minBuffer     = 16 // the largest number, of those that come in slices; a varint has up to 10 bytes
)
