package binary_test

import (
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/octet-go/octet/binary"
)

type (
	bigDecoder    = binary.StreamDecoder[binary.Big]
	littleDecoder = binary.StreamDecoder[binary.Little]
)

// A wait is a call of a method, and the bytes that it has to wait for.
type wait struct {
	in   string
	call func(d *bigDecoder)
}

var (
	long   = strings.Repeat("x", 100) // larger than the smallest buffer
	varint = "\x80\x80\x01"
)

// waits has calls of every method of StreamDecoder, and of ReadNumbers.
var waits = map[string][]wait{
	"Bool":         {{"1", func(d *bigDecoder) { d.Bool() }}},
	"Uint8":        {{"1", func(d *bigDecoder) { d.Uint8() }}},
	"Int8":         {{"1", func(d *bigDecoder) { d.Int8() }}},
	"Uint16":       {{"12", func(d *bigDecoder) { d.Uint16() }}},
	"Int16":        {{"12", func(d *bigDecoder) { d.Int16() }}},
	"Uint24":       {{"123", func(d *bigDecoder) { d.Uint24() }}},
	"Uint32":       {{"1234", func(d *bigDecoder) { d.Uint32() }}},
	"Int32":        {{"1234", func(d *bigDecoder) { d.Int32() }}},
	"Uint64":       {{"12345678", func(d *bigDecoder) { d.Uint64() }}},
	"Int64":        {{"12345678", func(d *bigDecoder) { d.Int64() }}},
	"Float32":      {{"1234", func(d *bigDecoder) { d.Float32() }}},
	"Float64":      {{"12345678", func(d *bigDecoder) { d.Float64() }}},
	"Uvarint":      {{"1", func(d *bigDecoder) { d.Uvarint() }}, {varint, func(d *bigDecoder) { d.Uvarint() }}},
	"Varint":       {{"1", func(d *bigDecoder) { d.Varint() }}, {varint, func(d *bigDecoder) { d.Varint() }}},
	"Bytes":        {{"", func(d *bigDecoder) { d.Bytes(0) }}, {"123", func(d *bigDecoder) { d.Bytes(3) }}, {long, func(d *bigDecoder) { d.Bytes(100) }}},
	"String":       {{"123", func(d *bigDecoder) { _ = d.String(3) }}, {long, func(d *bigDecoder) { _ = d.String(100) }}},
	"AppendBytes":  {{"123", func(d *bigDecoder) { d.AppendBytes(nil, 3) }}, {long, func(d *bigDecoder) { d.AppendBytes(nil, 100) }}},
	"Copy":         {{"123", func(d *bigDecoder) { d.Copy(make([]byte, 3)) }}, {long, func(d *bigDecoder) { d.Copy(make([]byte, 100)) }}},
	"Skip":         {{"123", func(d *bigDecoder) { d.Skip(3) }}, {long, func(d *bigDecoder) { d.Skip(100) }}},
	"Align":        {{"1234", func(d *bigDecoder) { d.Uint8(); d.Align(4, 0); d.Align(4, 0) }}},
	"Peek":         {{"123", func(d *bigDecoder) { d.Peek(3) }}, {long, func(d *bigDecoder) { d.Peek(100) }}},
	"ReadByte":     {{"1", func(d *bigDecoder) { d.ReadByte() }}},
	"Read":         {{"1", func(d *bigDecoder) { d.Read(make([]byte, 5000)) }}, {"1", func(d *bigDecoder) { d.Read(make([]byte, 10)) }}, {"", func(d *bigDecoder) { d.Read(nil) }}},
	"Until":        {{"12\x00", func(d *bigDecoder) { d.Until(0, 5) }}, {"123", func(d *bigDecoder) { d.Until(0, 2) }}, {long, func(d *bigDecoder) { d.Until(0, 99) }}},
	"Len8":         {{"\xff", func(d *bigDecoder) { d.Len8() }}},
	"Len16":        {{"\x00\xff", func(d *bigDecoder) { d.Len16() }}},
	"Len32":        {{"\x00\x00\x00\xff", func(d *bigDecoder) { d.Len32() }}},
	"Len64":        {{"\x00\x00\x00\x00\x00\x00\x00\xff", func(d *bigDecoder) { d.Len64() }}},
	"LenVarint":    {{varint, func(d *bigDecoder) { d.LenVarint() }}},
	"Bytes8":       {{"\x00", func(d *bigDecoder) { d.Bytes8() }}, {"\x021" + "2", func(d *bigDecoder) { d.Bytes8() }}},
	"Bytes16":      {{"\x00\x0212", func(d *bigDecoder) { d.Bytes16() }}},
	"Bytes24":      {{"\x00\x00\x0212", func(d *bigDecoder) { d.Bytes24() }}},
	"Bytes32":      {{"\x00\x00\x00\x0212", func(d *bigDecoder) { d.Bytes32() }}},
	"BytesVarint":  {{"\x0212", func(d *bigDecoder) { d.BytesVarint() }}},
	"String8":      {{"\x0212", func(d *bigDecoder) { d.String8() }}},
	"String16":     {{"\x00\x0212", func(d *bigDecoder) { d.String16() }}},
	"String32":     {{"\x00\x00\x00\x0212", func(d *bigDecoder) { d.String32() }}},
	"StringVarint": {{"\x0212", func(d *bigDecoder) { d.StringVarint() }}},
	"Begin":        {{"", func(d *bigDecoder) { d.Begin(new(binary.Mark), 100) }}},
	"Begin8":       {{"\xff", func(d *bigDecoder) { d.Begin8(new(binary.Mark)) }}},
	"Begin16":      {{"\x00\xff", func(d *bigDecoder) { d.Begin16(new(binary.Mark)) }}},
	"Begin24":      {{"\x00\x00\xff", func(d *bigDecoder) { d.Begin24(new(binary.Mark)) }}},
	"Begin32":      {{"\x00\x00\x00\xff", func(d *bigDecoder) { d.Begin32(new(binary.Mark)) }}},
	"BeginVarint":  {{varint, func(d *bigDecoder) { d.BeginVarint(new(binary.Mark)) }}},
	"End": {
		{"\x0212", func(d *bigDecoder) { var m binary.Mark; d.Begin8(&m); d.Uint16(); d.End(&m) }},
		{"\x02", func(d *bigDecoder) { var m binary.Mark; d.Begin8(&m); d.End(&m) }}, // fails
	},
	"Mark":  {{"1", func(d *bigDecoder) { d.Uint8(); d.Mark(new(binary.Mark)) }}},
	"Since": {{"123", func(d *bigDecoder) { var m binary.Mark; d.Mark(&m); d.Skip(3); d.Since(&m) }}},

	"More": {
		{"1", func(d *bigDecoder) { d.More(); d.More() }},
		{"\x0212", func(d *bigDecoder) { d.Begin8(new(binary.Mark)); d.Uint16(); d.More() }},
	},
	"ReadNumbers": {
		{"12", func(d *bigDecoder) { binary.ReadNumbers(d, []uint16(nil), 1) }},
		{long, func(d *bigDecoder) { binary.ReadNumbers(d, []uint16(nil), 50) }},
	},

	"Done": {{"1", func(d *bigDecoder) { d.Done() }}}, // it waits for a byte or the end
	"Len":  {{"\x02", func(d *bigDecoder) { d.Begin8(new(binary.Mark)); d.Len() }}, {"", func(d *bigDecoder) { d.Len() }}},

	"Canonical": {{varint, func(d *bigDecoder) { d.Canonical(); d.Uvarint() }}},
	"Err":       {{"1", func(d *bigDecoder) { d.Uint8(); d.Err() }}, {"", func(d *bigDecoder) { d.Bytes(-1); d.Err() }}},
	"Resume":    {{"1", func(d *bigDecoder) { d.Resume(); d.Uint8(); d.Resume() }}},
	"Fail":      {{"", func(d *bigDecoder) { d.Fail(errBad); d.Uint8(); d.More() }}},
	"Field":     {{"1", func(d *bigDecoder) { d.Field("name").Uint8() }}},
	"Next":      {{"1", func(d *bigDecoder) { d.Next(9) }}, {"1", func(d *bigDecoder) { d.Next(3); d.Bytes(4) }}, {"12", func(d *bigDecoder) { d.Next(9); d.Uint8(); d.Next(9) }}},
	"Offset":    {{"1", func(d *bigDecoder) { d.Uint8(); d.Offset() }}},
	"Reset":     {{"1", func(d *bigDecoder) { d.Uint8(); d.Reset(strings.NewReader("")) }}},
	"BufferCap": {{"", func(d *bigDecoder) { d.BufferCap() }}},
}

// Every method returns once the bytes that it was asked for have arrived, and not
// before. The peer sends exactly these, one at a time, and keeps the pipe open.
func TestStreamDecoderWaits(t *testing.T) {
	methods := reflect.TypeFor[*bigDecoder]()
	for i := range methods.NumMethod() {
		if name := methods.Method(i).Name; waits[name] == nil {
			t.Errorf("%s is not in the table: add the bytes that it has to wait for", name)
		}
	}
	for name, calls := range waits {
		if _, ok := methods.MethodByName(name); !ok && name != "ReadNumbers" {

			t.Errorf("there is no method %s", name)
		}
		for _, w := range calls {
			checkWait(t, name, w)
			checkWait(t, name, w, binary.BufferSize(1))
			checkWait(t, name, w, binary.Limit(1000))
			checkWait(t, name, w, binary.Limit(max(1, int64(len(w.in)))))
		}
	}
}

func checkWait(t *testing.T, name string, w wait, opts ...binary.DecoderOption) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r, peer := io.Pipe()
		returned := false
		go func() {
			w.call(binary.NewStreamDecoder[binary.Big](r, opts...))
			returned = true
		}()
		for i := range w.in {
			synctest.Wait()
			if returned {
				t.Errorf("%s returned after %d bytes of %q", name, i, w.in)
				return
			}
			peer.Write([]byte{w.in[i]})
		}
		synctest.Wait()
		if !returned {
			t.Errorf("%s still waits after %q", name, w.in)
		}
		peer.Close()
	})
}
