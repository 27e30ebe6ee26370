package api

import "strconv"

// simple has the pools of which there is nothing to say but what hands out memory and what takes it back:
// functions, or methods of the pool, under one prefix.
var simple = []struct {
	prefix, get, put string
	family           Family
}{
	{"(*sync.Pool).", "Get", "Put", SyncPool},
	{"(net/http/httputil.BufferPool).", "Get", "Put", Proxy},
	{BytespoolPath + ".", "Make New", "Release", Slices},
	{"(*" + BytespoolPath + ".Pool).", "Make New TryNew Acquire", "Release", Slices},
	{"(*" + BytespoolPath + ".Reservation).", "New", "", Slices},
	{"(*" + BytespoolPath + ".BufPool).", "Get", "Put", BufPools},
	{"(*" + BytespoolPath + ".PointerPool).", "Get", "Put", BufPools},
	{BufferPath + ".", makeBuffer, "", Buffers},
	{"(*" + BufferPath + ".Pool).", "Get Make TryGet Acquire", "", Buffers},
	{compatPath + ".", makeEarlierSlice, "Put Release", Slices},
	{"(*" + compatPath + ".CapacityPools).", makeOwnSlice, "Put Release", Slices},
	{compatPath + "/buffer.", makeBuffer + makeEarlierOne, "Put Release", Buffers},
	{earlierPath + ".", makeEarlierSlice, "Put Release", Slices},
	{"(*" + earlierPath + ".CapacityPools).", makeEarlierSlice, "Put Release", Slices},
	{"(*" + earlierPath + ".BufPool).", "Get", "Put", BufPools},
	{earlierPath + "/buffer.", makeBuffer + makeEarlierOne, "Put Release", Buffers},
	{"github.com/valyala/bytebufferpool.", "Get", "Put", ByteBuffer},
	{"(*github.com/valyala/bytebufferpool.Pool).", "Get", "Put", ByteBuffer},
	{"github.com/bytedance/gopkg/lang/mcache.", "Malloc", "Free", Mcache},
	{"github.com/libp2p/go-buffer-pool.", "Get", "Put", Libp2p},
	{"(*github.com/libp2p/go-buffer-pool.BufferPool).", "Get", "Put", Libp2p},
	{"(*github.com/oxtoacart/bpool.BufferPool).", "Get", "Put", Bpool},
	{"(*github.com/oxtoacart/bpool.SizedBufferPool).", "Get", "Put", Bpool},
	{"(*github.com/oxtoacart/bpool.BytePool).", "Get GetSlice", "Put PutSlice", Bpool},
	{"(google.golang.org/grpc/mem.BufferPool).", "Get", "Put", GrpcPool},
	{"(go.uber.org/zap/buffer.Pool).", "Get", "", ZapBuffer},
	{"github.com/gobwas/pool/pbytes.", "Get GetCap GetLen", "Put", Pbytes},
	{"github.com/fatedier/golib/pool.", "GetBuf", "PutBuf", Frp},
	{
		"github.com/valyala/fasthttp.", "AcquireArgs AcquireCookie AcquireRequest AcquireResponse AcquireURI",
		"ReleaseArgs ReleaseCookie ReleaseRequest ReleaseResponse ReleaseURI", Fasthttp,
	},
}

// addOthers adds these pools, and what else there is to say of those of other modules.
func (t Table) addOthers() {
	for _, p := range simple {
		t.addOf(p.family, p.prefix, p.get, acquire)
		t.addOf(p.family, p.prefix, p.put, Effect{Op: Release, Arg: first(p.prefix)})
	}
	view := Effect{Op: View}
	t.add("(*github.com/valyala/bytebufferpool.ByteBuffer).", "Bytes", view)
	t.add("(*github.com/libp2p/go-buffer-pool.Buffer).", "Bytes Next", view)
	t.add("(github.com/oxtoacart/bpool.ByteSlice).", "Bytes BytesWithHeader Full ResliceTo", view)
	t.add("(*go.uber.org/zap/buffer.Buffer).", "Bytes", view)
	t.addOf(ZapBuffer, "(*go.uber.org/zap/buffer.Buffer).", "Free", Effect{Op: Release})
	for _, w := range []string{"(*github.com/valyala/bytebufferpool.ByteBuffer).", "(*go.uber.org/zap/buffer.Buffer)."} {
		t.add(w, "Write WriteString", Effect{Op: Nil, Res: 1})
		t.add(w, "WriteByte", Effect{Op: Nil})
	}
	// What returns a slice that it is given, perhaps moved. The packages have more, which may keep what it is given.
	compress := Family{More: true}
	t.addOf(compress, "github.com/golang/snappy.", "Decode Encode", Effect{Op: Whole})
	t.addOf(compress, "github.com/valyala/gozstd.", "Compress CompressLevel Decompress", Effect{Op: Whole})
	t.addOf(compress, "(*github.com/klauspost/compress/zstd.", "Decoder).DecodeAll Encoder).EncodeAll", Effect{Op: Whole, Arg: 2})
	t.addGrpc()
	t.addArrow()
	t.addFasthttp()
}

// addGrpc adds google.golang.org/grpc/mem, whose Buffers are counted.
func (t Table) addGrpc() {
	const pkg = "google.golang.org/grpc/mem."
	add := func(prefix, names string, effects ...Effect) { t.addOf(GrpcBuffer, prefix, names, effects...) }
	add(pkg, "Copy", acquire)
	add(pkg, "NewBuffer", Effect{Op: Acquire}, Effect{Op: Keep})
	add(pkg, "ReadAll", acquire)
	add(pkg, "ReadUnsafe", Effect{Op: Opaque, Arg: 1})
	add(pkg, "SplitUnsafe", Effect{Op: Whole}, Effect{Op: Acquire, Res: 1})
	for _, buffer := range []string{"(" + pkg + "Buffer).", "(" + pkg + "BufferSlice)."} {
		add(buffer, "Free", Effect{Op: Release})
		add(buffer, "Ref", Effect{Op: Share})
	}
	add("("+pkg+"Buffer).", "ReadOnlyData", Effect{Op: View})
	add("("+pkg+"Buffer).", "Slice", acquire)
	add("("+pkg+"BufferSlice).", "MaterializeToBuffer", acquire)
	add("("+pkg+"BufferSlice).", "Reader", Effect{Op: View}, Effect{Op: Share})
}

// addArrow adds the allocators of Apache Arrow, and their Buffers, which are counted.
func (t Table) addArrow() {
	paths := []string{"github.com/apache/arrow-go/v18/arrow/memory."}
	for v := 12; v <= 17; v++ {
		paths = append(paths, "github.com/apache/arrow/go/v"+strconv.Itoa(v)+"/arrow/memory.")
	}
	for _, path := range paths {
		add := func(prefix, names string, effects ...Effect) { t.addOf(Arrow, prefix, names, effects...) }
		for _, allocator := range []string{"(" + path + "Allocator).", "(*" + path + "CheckedAllocator)."} {
			add(allocator, "Allocate", acquire)
			add(allocator, "Reallocate", Effect{Op: Consume, Arg: 2})
			add(allocator, "Free", Effect{Op: Release, Arg: 1})
		}
		add(path, "NewResizableBuffer NewBufferWithAllocator", acquire)
		buffer := "(*" + path + "Buffer)."
		add(buffer, "Release", Effect{Op: Release})
		add(buffer, "Retain", Effect{Op: Share})
		add(buffer, "Bytes Buf", Effect{Op: View})
	}
}

// addFasthttp adds what shows the memory of requests, responses and their parts.
func (t Table) addFasthttp() {
	const pkg = "github.com/valyala/fasthttp."
	for typ, names := range map[string]string{
		"Args":     "QueryString Peek PeekBytes PeekMulti PeekMultiBytes",
		"Cookie":   "Cookie Domain Key Path Value",
		"URI":      "FullURI Hash Host LastPathSegment Password Path PathOriginal QueryArgs QueryString RequestURI Scheme Username",
		"Request":  "Body BodyStream BodyWriter Host PostArgs RequestURI URI",
		"Response": "Body BodyStream BodyWriter",
		"RequestHeader": `ContentEncoding ContentType Cookie CookieBytes Header Host Method MultipartFormBoundary Peek
			PeekAll PeekBytes PeekKeys RawHeaders Referer RequestURI UserAgent`,
		"ResponseHeader": "ContentEncoding ContentType Header Peek PeekAll PeekBytes PeekCookie PeekKeys Server StatusMessage",
	} {
		t.addOf(Fasthttp, "(*"+pkg+typ+").", names, Effect{Op: View})
	}
	for _, typ := range []string{"Request", "Response"} {
		t.addOf(Fasthttp, "(*"+pkg+typ+").", "SwapBody", Effect{Op: Opaque, Arg: 1})
	}
}
