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

// Limit makes a [StreamDecoder] return at most n bytes in all, however many messages they are, if n is positive. To
// bound each message, use [StreamDecoder.Next]. A value that
// exceeds the limit fails with [ErrTooLong] before memory is allocated for it. To find
// out whether the stream ends at the limit, a decoder that is asked for more may read
// one byte beyond it. By default there is no limit.
func Limit(n int64) DecoderOption { return limit(n) }

const (
	defaultBuffer = 4096
	minBuffer     = 16 // the size of the largest number, a complex128 in a slice
)
