// Package fixed takes messages from a broker, in packs that go through a pipeline and
// come back.
package fixed

import (
	"bytes"
	"errors"
	"log"
	"sync/atomic"
	"time"
)

// A Message is what the pipeline works with.
type Message struct {
	Type      string
	Payload   string
	Timestamp int64
}

// A Pack has a message, and the bytes that it is decoded from. There are as many
// as the pipeline was made with.
type Pack struct {
	Raw     []byte
	Message *Message
	Home    chan *Pack
	Refs    int32
}

func NewPack(recycle chan *Pack) *Pack {
	return &Pack{
		Raw:     make([]byte, 0, 4096),
		Message: new(Message),
		Home:    recycle,
		Refs:    1,
	}
}

// Zero makes the pack as it was when it was new.
func (p *Pack) Zero() {
	p.Raw = p.Raw[:0]
	*p.Message = Message{}
	p.Refs = 1
}

// Recycle gives a reference up, and the pack with the last one.
func (p *Pack) Recycle() {
	if atomic.AddInt32(&p.Refs, -1) == 0 {
		p.Zero()
		p.Home <- p
	}
}

// NewSupply returns a channel with n packs.
func NewSupply(n int) chan *Pack {
	supply := make(chan *Pack, n)
	for range n {
		supply <- NewPack(supply)
	}
	return supply
}

// A Decoder makes packs of one: the same, or others. It returns none if it fails.
type Decoder interface {
	Decode(pack *Pack) ([]*Pack, error)
}

// A DecoderRunner decodes the packs that it is sent.
type DecoderRunner interface {
	InChan() chan *Pack
	Decoder() Decoder
}

// An InputRunner is what the pipeline gives to an input.
type InputRunner interface {
	InChan() chan *Pack
	Inject(pack *Pack)
	LogError(err error)
}

type header struct{ length int }

func (h *header) reset() { h.length = 0 }

// unframe finds the message that begins b, and appends it to to.
func unframe(b []byte, h *header, to *[]byte) bool {
	if len(b) < 3 || b[0] != 0x1e || b[2] != 0x1f {
		return false
	}
	h.length = int(b[1])
	if len(b) < 3+h.length {
		return false
	}
	*to = append((*to)[:0], b[3:3+h.length]...)
	return true
}

// A delivery comes from the broker, which sends it again if there is no Ack.
type delivery struct {
	ContentType string
	Body        []byte
	Timestamp   time.Time
	ack         func() error
}

func (d *delivery) Ack() {
	if err := d.ack(); err != nil {
		log.Print(err)
	}
}

type channel interface {
	Consume(queue string) (<-chan delivery, error)
}

// An Input takes the messages of one queue.
type Input struct {
	ch      channel
	queue   string
	decoder string
}

var (
	errDecoder = errors.New("messages of this type need a decoder")
	errMessage = errors.New("no message found")
)

// Run takes messages until the broker ends the stream.
func (in *Input) Run(ir InputRunner, decoders map[string]DecoderRunner) error {
	var (
		runner  DecoderRunner
		decoder Decoder
	)
	if in.decoder != "" {
		var ok bool
		if runner, ok = decoders[in.decoder]; !ok {
			return errors.New("no decoder " + in.decoder)
		}
		decoder = runner.Decoder()
	}
	supply := ir.InChan()
	stream, err := in.ch.Consume(in.queue)
	if err != nil {
		return err
	}
	head := new(header)
	for {
		pack := <-supply
		msg, ok := <-stream
		if !ok {
			pack.Recycle()
			return nil
		}
		if msg.ContentType == "application/framed" {
			if runner == nil {
				pack.Recycle()
				ir.LogError(errDecoder)
			} else if unframe(msg.Body, head, &pack.Raw) {
				runner.InChan() <- pack
			} else {
				pack.Recycle()
				ir.LogError(errMessage)
			}
			head.reset()
		} else {
			pack.Message.Type = "amqp"
			pack.Message.Payload = string(bytes.TrimSpace(msg.Body))
			pack.Message.Timestamp = msg.Timestamp.UnixNano()
			packs, err := []*Pack{pack}, error(nil)
			if decoder != nil {
				packs, err = decoder.Decode(pack)
			}
			for _, p := range packs {
				ir.Inject(p)
			}
			if packs == nil {
				if err != nil {
					ir.LogError(err)
				}
				pack.Recycle()
			}
		}
		msg.Ack()
	}
}

// A splitter decodes each line as a message of its own.
type splitter struct{ supply chan *Pack }

func (s splitter) Decode(pack *Pack) ([]*Pack, error) {
	lines := bytes.Split([]byte(pack.Message.Payload), []byte("\n"))
	if len(lines[0]) == 0 {
		return nil, errMessage
	}
	packs := []*Pack{pack}
	pack.Message.Payload = string(lines[0])
	for _, line := range lines[1:] {
		p := <-s.supply
		*p.Message = *pack.Message
		p.Message.Payload = string(line)
		packs = append(packs, p)
	}
	return packs, nil
}
