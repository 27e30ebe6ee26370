// Package written makes slices. The comment of a line says whether one of a pool in its place must be cleared, and why.
package written

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"io"
	"net/url"
	"strconv"

	mrand "math/rand"
)

type packet struct {
	data []byte
	size int
}

func copied(p []byte) []byte {
	b := make([]byte, len(p)) // written
	copy(b, p)
	return b
}

func copiedField(p *packet) []byte {
	b := make([]byte, len(p.data)) // written
	copy(b[:], p.data)
	return b
}

func copiedFront(p []byte, n int) []byte {
	b := make([]byte, n) // written
	copy(b, p[:n])
	return b
}

func copiedMiddle(p []byte, i, n int) []byte {
	b := make([]byte, n) // written
	copy(b, p[i:i+n])
	return b
}

func copiedLess(p []byte, n int) []byte {
	b := make([]byte, n) // clear: line +1 may read or hand on
	copy(b, p)
	return b
}

func copiedOther(p, q []byte) []byte {
	b := make([]byte, len(p)) // clear: line +1
	copy(b, q)
	return b
}

func copiedLater(p []byte) []byte {
	b := make([]byte, len(p)) // clear: line +2
	p = p[1:]
	copy(b, p)
	return b
}

func copiedBehind(p []byte) []byte {
	b := make([]byte, 1+len(p)) // clear: line +1
	copy(b[1:], p)
	return b
}

func copiedItself(p []byte) []byte {
	{
		p := make([]byte, len(p)) // clear: line +1
		copy(p, p)
		return p
	}
}

func copiedField2(p, q *packet) []byte {
	b := make([]byte, p.size) // clear: line +1
	copy(b, q.data[:q.size])
	return b
}

func copiedCall(f func() []byte) []byte {
	b := make([]byte, len(f())) // clear: line +1
	copy(b, f())
	return b
}

func copiedIf(p []byte, ok bool) []byte {
	b := make([]byte, len(p)) // clear: line +1
	if ok {
		copy(b, p)
	}
	return b
}

func read(r io.Reader, n int) ([]byte, error) {
	b := make([]byte, n) // written
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, err
	}
	return b, nil
}

func readBefore(r io.Reader, n int) ([]byte, error) {
	b := make([]byte, n) // written
	if n > 10 {
		return nil, io.ErrShortBuffer
	}
	_, err := io.ReadFull(r, b[:])
	if err != nil {
		return nil, err
	}
	return b, nil
}

func readAtLeast(r io.Reader, n int) ([]byte, error) {
	b := make([]byte, n) // clear: line +1
	if _, err := io.ReadAtLeast(r, b, len(b)); err != nil {
		return nil, err
	}
	return b, nil
}

func readLess(r io.Reader, n int) ([]byte, error) {
	b := make([]byte, n) // clear: line +1
	if _, err := io.ReadAtLeast(r, b, n/2); err != nil {
		return nil, err
	}
	return b, nil
}

func readUnchecked(r io.Reader, n int) []byte {
	b := make([]byte, n) // clear: line +1
	io.ReadFull(r, b)
	return b
}

func readCheckedLater(r io.Reader, n int) ([]byte, error) {
	b := make([]byte, n) // clear: line +1
	_, err := io.ReadFull(r, b)
	return b, err
}

func readGoesOn(r io.Reader, n int) []byte {
	b := make([]byte, n) // clear: line +1
	if _, err := io.ReadFull(r, b); err != nil {
		println(err)
	}
	return b
}

func readReturns(r io.Reader, n int) ([]byte, error) {
	b := make([]byte, n) // clear: line +1
	if n, err := io.ReadFull(r, b); err != nil {
		return b[:n], err
	}
	return b, nil
}

func readExcept(r io.Reader, n int) ([]byte, error) {
	b := make([]byte, n) // clear: line +1
	if _, err := io.ReadFull(r, b); err != nil && err != io.EOF {
		return nil, err
	}
	return b, nil
}

func readBreaks(r io.Reader, n int) []byte {
	var b []byte
	for range n {
		b = make([]byte, n) // clear: line +1
		if _, err := io.ReadFull(r, b); err != nil {
			break
		}
	}
	return b
}

func leaves(r io.Reader, p []byte, n int) []byte {
	var b []byte
	for range n {
		b = make([]byte, len(p)) // clear: line +1 may leave
		if n > 3 {
			break
		}
		io.ReadFull(r, b)
	}
	return b
}

func readSome(r io.Reader, n int) ([]byte, error) {
	b := make([]byte, n) // clear: line +1
	if _, err := r.Read(b); err != nil {
		return nil, err
	}
	return b, nil
}

func readItself(n int) ([]byte, error) {
	b := make([]byte, n) // clear: line +1
	if _, err := io.ReadFull(bytes.NewReader(b), b); err != nil {
		return nil, err
	}
	return b, nil
}

func named(r io.Reader, n int) (b []byte, err error) {
	b = make([]byte, n) // clear: has it as a parameter or a result
	if _, err = io.ReadFull(r, b); err != nil {
		return
	}
	return b, nil
}

func closure(r io.Reader, n int) error {
	b := make([]byte, n) // clear: line +1 lets others have
	defer func() { println(string(b)) }()
	if _, err := io.ReadFull(r, b); err != nil {
		return err
	}
	return nil
}

func random(n int) []byte {
	b := make([]byte, n) // written
	rand.Read(b)
	return b
}

func randomChecked(n int) ([]byte, error) {
	b := make([]byte, n) // clear: line +1
	if _, err := rand.Read(b); err != nil {
		return nil, err
	}
	return b, nil
}

func randomOther(r *mrand.Rand, n int) []byte {
	b := make([]byte, n) // clear: line +1
	r.Read(b)
	return b
}

func put(v uint64) []byte {
	b := make([]byte, 8) // written
	binary.BigEndian.PutUint64(b, v)
	return b
}

func putLess(v uint32) []byte {
	b := make([]byte, 8) // clear: line +1
	binary.BigEndian.PutUint32(b, v)
	return b
}

func putBehind(v uint32) []byte {
	b := make([]byte, 4+4) // clear: line +1
	binary.BigEndian.PutUint32(b[4:], v)
	return b
}

func hexed(p []byte) []byte {
	b := make([]byte, hex.EncodedLen(len(p))) // written
	hex.Encode(b, p)
	return b
}

func hexedOther(p, q []byte) []byte {
	b := make([]byte, hex.EncodedLen(len(p))) // clear: line +1
	hex.Encode(b, q)
	return b
}

func based(p []byte) []byte {
	b := make([]byte, base64.StdEncoding.EncodedLen(len(p))) // written
	base64.StdEncoding.Encode(b, p)
	return b
}

func basedOther(p []byte) []byte {
	b := make([]byte, base64.StdEncoding.EncodedLen(len(p))) // clear: line +1
	base64.RawStdEncoding.Encode(b, p)
	return b
}

func unbased(p []byte) []byte {
	b := make([]byte, base64.StdEncoding.DecodedLen(len(p))) // clear: line +1
	base64.StdEncoding.Decode(b, p)
	return b
}

func filled(n int, c byte) []byte {
	b := make([]byte, n) // clear: line +1
	for i := range b {
		b[i] = c + byte(i)
	}
	return b
}

func headed(p []byte, first bool) []byte {
	b := make([]byte, 1+len(p)) // clear: line +1
	if first {
		b[0] |= 0x10
	}
	copy(b[1:], p)
	return b
}

func returned(n int) []byte {
	return make([]byte, n) // clear: it is used where it is made
}

func stored(p *packet, q []byte) {
	p.data = make([]byte, len(q)) // clear: it is used where it is made
	copy(p.data, q)
}

var global []byte

func packageVariable(p []byte) {
	global = make([]byte, len(p)) // clear: global is a variable of the package
	copy(global, p)
}

func room(p []byte) []byte {
	b := make([]byte, len(p), 100) // clear: it has room behind its end
	copy(b, p)
	return b
}

func capacity(p []byte) []byte {
	b := make([]byte, len(p)) // clear: line +2 reads its capacity
	copy(b, p)
	return b[:cap(b)]
}

func addressed(p []byte, f func(*[]byte)) []byte {
	b := make([]byte, len(p)) // clear: line +2 lets others have
	copy(b, p)
	f(&b)
	return b
}

func branched(r io.Reader, n int) []byte {
	if b := make([]byte, n); n > 3 { // clear: the head of a statement
		return b
	}
	return nil
}

func appended(w io.Writer, parts [][]byte) []byte {
	b := make([]byte, 0, 64) // written
	for i, p := range parts {
		b = append(b, p...)
		b = strconv.AppendInt(b, int64(i), 10)
		b = binary.BigEndian.AppendUint32(b, 7)
	}
	w.Write(b)
	b = append(b[:0], "end"...)
	b[0] = byte(len(b))
	return append(b, '\n')
}

func appendedCut(n int, c byte) []byte {
	b := make([]byte, n)[:0] // written
	for range n {
		b = append(b, c)
	}
	return b
}

func lengthened(n int) []byte {
	b := make([]byte, 0, 64) // clear: line +2 may show bytes behind its end
	b = append(b, 1)
	b = b[:n]
	return b
}

func emptyReturned() []byte {
	b := make([]byte, 0, 64) // clear: line +1 may show
	return b
}

func emptyGiven(grow func([]byte) []byte) []byte {
	b := make([]byte, 0, 64) // clear: line +1 may show
	b = grow(b)
	return append(b, 1)
}

func emptyStored(p *packet) {
	b := make([]byte, 0, 64) // clear: line +2 may show
	b = append(b, 1)
	p.data = b
}

func emptyCapacity(r io.Reader) {
	b := make([]byte, 0, 64) // clear: line +1 reads its capacity
	n, _ := r.Read(b[:cap(b)])
	println(n)
}

func emptyLonger(n int) []byte {
	b := make([]byte, n)[:0] // clear: line +2 may show
	b = append(b, 1)
	return b[:n]
}

func readInverted(r io.Reader, n int) ([]byte, error) {
	b := make([]byte, n) // clear: line +1 may read
	if _, err := io.ReadFull(r, b); err == nil {
		return nil, nil
	}
	return b, nil
}

func readLeavesTheLoop(r io.Reader, n int) ([]byte, error) {
	var b []byte
	for {
		b = make([]byte, n) // clear: line +1 may read
		if _, err := io.ReadFull(r, b); err != nil {
			if n > 3 {
				break
			}
			return nil, err
		}
	}
	return b, nil
}

func copiedMiddleLess(p []byte, i, n, m int) []byte {
	b := make([]byte, n) // clear: line +1
	copy(b, p[i:i+m])
	return b
}

func copiedMiddleTimes(p []byte, i, n int) []byte {
	b := make([]byte, n) // clear: line +1
	copy(b, p[i:i*n])
	return b
}

func copiedMiddleFrom(p []byte, i, j, n int) []byte {
	b := make([]byte, n) // clear: line +1
	copy(b, p[j:i+n])
	return b
}

func copiedFrontFrom(p []byte, n int) []byte {
	b := make([]byte, n) // clear: line +1
	copy(b, p[1:n])
	return b
}

func copiedTail(p []byte, n int) []byte {
	b := make([]byte, n) // clear: line +1
	copy(b, p[n:])
	return b
}

func copiedFromItself(n int) []byte {
	b := make([]byte, n) // clear: line +1
	copy(b, b[:n])
	return b
}

func copiedAway(p []byte, n int) []byte {
	b := make([]byte, n) // clear: line +1
	copy(p, b)
	return b
}

// The call may change p.size, which is read after it.
func copiedOfCall(p *packet, next func() []byte) []byte {
	b := make([]byte, p.size) // clear: line +1
	copy(b, next()[:p.size])
	return b
}

func copiedOfReceived(p *packet, next chan []byte) []byte {
	b := make([]byte, p.size) // clear: line +1
	copy(b, (<-next)[:p.size])
	return b
}

func length(p []byte) int { return 2 * len(p) }

func copiedLength(p []byte) []byte {
	b := make([]byte, length(p)) // clear: line +1
	copy(b, p)
	return b
}

func copiedOwn(p []byte) []byte {
	copy := func(b, p []byte) {}
	b := make([]byte, len(p)) // clear: line +1
	copy(b, p)
	return b
}

func copiedSliced(p []byte, n int) []byte {
	b := make([]byte, n)[:4] // clear: it is used where it is made
	copy(b, p)
	return b
}

func two(p []byte, n int) ([]byte, []byte) {
	b, c := make([]byte, n), p // clear: it is used where it is made
	copy(b, p[:n])
	return b, c
}

func fieldless(p []byte) {
	var q packet
	_ = make([]byte, len(p)) // clear: it is used where it is made
	copy(q.data, p)
}

type bytesOf []byte

func (b *bytesOf) fill() {}

func method(n int) bytesOf {
	b := make(bytesOf, n) // clear: line +1
	b.fill()
	return b
}

func switched(p []byte, n int) []byte {
	switch n {
	case 1:
		b := make([]byte, len(p)) // written
		copy(b, p)
		return b
	}
	return nil
}

func labelled(p []byte) []byte {
	var b []byte
again:
	b = make([]byte, len(p)) // clear: the head of a statement
	copy(b, p)
	if len(b) == 0 {
		goto again
	}
	return b
}

func end(p []byte, ok bool) []byte {
	var b []byte
	if ok {
		b = make([]byte, len(p)) // clear: it is not written for certain
	}
	return b
}

func readEnd(r io.Reader, n int) ([]byte, error) {
	b := make([]byte, n) // clear: line +1
	if _, err := io.ReadFull(r, b); err != io.EOF {
		return nil, err
	}
	return b, nil
}

func readNil(r io.Reader, p []byte, n int) ([]byte, error) {
	nil := io.EOF
	b := make([]byte, n) // clear: line +1
	if _, err := io.ReadFull(r, b); err != nil {
		return p, err
	}
	return b, nil
}

func readOther(r io.Reader, n int, other error) ([]byte, error) {
	b := make([]byte, n) // clear: line +1
	_, err := io.ReadFull(r, b)
	if other != nil {
		return nil, err
	}
	return b, err
}

func readCheckedOther(r io.Reader, n int, other func() error) ([]byte, error) {
	b := make([]byte, n) // clear: line +1
	_, err := io.ReadFull(r, b)
	if err = other(); err != nil {
		return nil, err
	}
	return b, nil
}

func readIgnored(r io.Reader, n int) []byte {
	b := make([]byte, n) // clear: line +1
	if _, err := io.ReadFull(r, b); err != nil {
	}
	return b
}

func readTold(r io.Reader, n int, ok bool) []byte {
	b := make([]byte, n) // clear: line +1
	if _, err := io.ReadFull(r, b); ok {
		println(err)
		return nil
	}
	return b
}

func readBehind(r io.Reader, n int) ([]byte, error) {
	b := make([]byte, n) // clear: line +1
	if _, err := io.ReadFull(r, b[1:]); err != nil {
		return nil, err
	}
	return b, nil
}

func called(n int, f func([]byte, int) (int, error)) ([]byte, error) {
	b := make([]byte, n) // clear: line +1
	if _, err := f(b, n); err != nil {
		return nil, err
	}
	return b, nil
}

func randomBehind(n int) []byte {
	b := make([]byte, n) // clear: line +1
	rand.Read(b[1:])
	return b
}

func randomFront(n int) []byte {
	b := make([]byte, n) // clear: line +1
	rand.Read(b[:4])
	return b
}

func putOwn(order binary.ByteOrder, v uint64) []byte {
	b := make([]byte, 8) // clear: line +1
	order.PutUint64(b, v)
	return b
}

func hexedSized(p []byte, n int) []byte {
	b := make([]byte, n) // clear: line +1
	hex.Encode(b, p)
	return b
}

func hexedLength(p []byte) []byte {
	b := make([]byte, len(p)) // clear: line +1
	hex.Encode(b, p)
	return b
}

func hexedTwo(p []byte) []byte {
	b := make([]byte, max(2, len(p))) // clear: line +1
	hex.Encode(b, p)
	return b
}

func hexedDecoded(p []byte) []byte {
	b := make([]byte, hex.DecodedLen(len(p))) // clear: line +1
	hex.Encode(b, p)
	return b
}

func basedOwn(enc *base64.Encoding, p []byte) []byte {
	b := make([]byte, enc.EncodedLen(len(p))) // written
	enc.Encode(b, p)
	return b
}

func capacityOfPart(p []byte) []byte {
	b := make([]byte, len(p)) // clear: line +2 reads its capacity
	copy(b, p)
	return b[:cap(b[1:])]
}

func capacityOfOther(p []byte) []byte {
	b := make([]byte, len(p)) // clear: line +3 reads its capacity
	copy(b, p)
	c := b
	return c[:cap(c)]
}

func capacityInside(p []byte) {
	b := make([]byte, len(p)) // clear: line +2 reads its capacity
	copy(b, p)
	lengthen(b)
}

func lengthen(b []byte) { println(string(b[:cap(b)])) }

func emptyDeclared(w io.Writer, p, q []byte) {
	var b []byte
	b = make([]byte, 0, 64) // written
	b = append(b, p...)
	q = append(q, b...)
	copy(q, b)
	println(len(b), string(b))
	for i := range b {
		b[i] = 1
	}
	w.Write(b[1:])
}

func emptyEncoded(p []byte) []byte {
	b := make([]byte, 0, 64) // written
	b = hex.AppendEncode(b, p)
	b = base64.StdEncoding.AppendEncode(b, p)
	return b
}

type appender struct{}

func (appender) AppendEncode(b, p []byte) []byte { return b[:len(p)] }

func emptyAppender(a appender, p []byte) []byte {
	b := make([]byte, 0, 64) // clear: line +1 may show
	b = a.AppendEncode(b, p)
	return append(b, 1)
}

func emptyElement(f func(*byte)) {
	b := make([]byte, 0, 64) // clear: line +2 may show
	b = append(b, 1)
	f(&b[0])
}

func emptyCutAt(n int) {
	b := make([]byte, 0, 64) // clear: line +1 may show
	b = b[:n]
}

func emptyCutTo(p *packet) {
	b := make([]byte, 0, 64) // clear: line +1 may show
	p.data = b[:0]
}

func emptyTwo(p *packet) {
	b := make([]byte, 0, 64) // clear: line +1 may show
	b, p.data = b[:0], b
}

func emptyListed(list [][]byte) [][]byte {
	b := make([]byte, 0, 64) // clear: line +1 may show
	return append(list, b)
}

func emptyAppended(f func([]byte)) {
	b := make([]byte, 0, 64) // clear: line +1 may show
	f(append(b, 1))
}

func emptyKept(p []byte) []byte {
	b := make([]byte, 0, 64) // clear: line +2 may show
	b = b[:0]
	return b
}

func emptyWhole(n int) []byte {
	b := make([]byte, n)[:n] // clear: it is used where it is made
	return b
}

func emptyFrom(n int) []byte {
	b := make([]byte, n)[1:] // clear: it is used where it is made
	return b
}

func declared(p []byte) []byte {
	var b = make([]byte, len(p)) // clear: it is used where it is made
	copy(b, p)
	return b
}

func copiedField3(p *packet, q []byte, n int) []byte {
	b := make([]byte, n) // clear: line +1
	copy(b, q[:p.size])
	return b
}

func received(n int, f func([]byte) chan int) []byte {
	b := make([]byte, n) // clear: line +1
	<-f(b)
	return b
}

func storedLast(p *packet, n int) {
	b := make([]byte, n) // clear: line +1
	p.data = b
}

func assignedTwo(n int) []byte {
	b := make([]byte, n) // clear: line +1
	if c, n := b, 1; c != nil {
		println(n)
		return nil
	}
	return b
}

func calledAsReadFull(r io.Reader, n int, f func(io.Reader, []byte) (int, error)) ([]byte, error) {
	b := make([]byte, n) // clear: line +1
	if _, err := f(r, b); err != nil {
		return nil, err
	}
	return b, nil
}

// What the keys of a literal stand for is not known where its type is imported.
func keyed(p []byte) url.Values {
	b := make([]byte, len(p)) // clear: line +1
	v := url.Values{string(b): nil}
	copy(b, p)
	return v
}

func emptyNothing() []byte {
	b := make([]byte, 0) // clear: line +1 may show
	return b
}

func emptySpread(f func(...byte)) {
	b := make([]byte, 0, 64) // clear: line +2 may show
	b = append(b, 1)
	f(b...)
}

func emptyTrimmed(p []byte) {
	b := make([]byte, 0, 64) // clear: line +2 may show
	b = append(b, p...)
	b = bytes.TrimSpace(b)
}

func emptyAgain(p []byte) []byte {
	b := make([]byte, 0, 64) // clear: line +3 may show
	b = append(b, p...)
	b = b[:0]
	return b
}
