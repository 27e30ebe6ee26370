package api

// The pools of other modules.

// addOthers adds them.
func (t Table) addOthers() {
	t.addByteBufferPool()
	t.addMcache()
	t.addLibp2p()
	t.addBpool()
	t.addGrpc()
	t.addZap()
	t.addFasthttp()
	const pbytes, frp = "github.com/gobwas/pool/pbytes.", "github.com/fatedier/golib/pool."
	t.add(pbytes, "Get GetCap GetLen", Func{Effects: acquire, Family: Pbytes, Default: true})
	t.add(pbytes, "Put", Func{Effects: []Effect{{Op: Release}}, Family: Pbytes, Default: true})
	t.add(frp, "GetBuf", Func{Effects: acquire, Family: Frp, Default: true})
	t.add(frp, "PutBuf", Func{Effects: []Effect{{Op: Release}}, Family: Frp, Default: true})
}

func (t Table) addByteBufferPool() {
	const pkg = "github.com/valyala/bytebufferpool."
	t.add(pkg, "Get", Func{Effects: acquire, Family: ByteBuffer, Default: true})
	t.add(pkg, "Put", Func{Effects: []Effect{{Op: Release}}, Family: ByteBuffer, Default: true})
	const pool = "(*github.com/valyala/bytebufferpool.Pool)."
	t.add(pool, "Get", Func{Effects: acquire, Family: ByteBuffer})
	t.add(pool, "Put", Func{Effects: []Effect{{Op: Release, Arg: 1}}, Family: ByteBuffer})
	const buffer = "(*github.com/valyala/bytebufferpool.ByteBuffer)."
	t.add(buffer, "Bytes", Func{Effects: []Effect{{Op: View}}})
	t.add(buffer, "Write WriteString", Func{Effects: []Effect{{Op: Nil, Res: 1}}})
	t.add(buffer, "WriteByte", Func{Effects: []Effect{{Op: Nil}}})
}

func (t Table) addMcache() {
	const pkg = "github.com/bytedance/gopkg/lang/mcache."
	t.add(pkg, "Malloc", Func{Effects: acquire, Family: Mcache, Default: true})
	t.add(pkg, "Free", Func{Effects: []Effect{{Op: Release}}, Family: Mcache, Default: true})
}

func (t Table) addLibp2p() {
	const pkg = "github.com/libp2p/go-buffer-pool."
	t.add(pkg, "Get", Func{Effects: acquire, Family: Libp2p, Default: true})
	t.add(pkg, "Put", Func{Effects: []Effect{{Op: Release}}, Family: Libp2p, Default: true})
	const pool = "(*github.com/libp2p/go-buffer-pool.BufferPool)."
	t.add(pool, "Get", Func{Effects: acquire, Family: Libp2p})
	t.add(pool, "Put", Func{Effects: []Effect{{Op: Release, Arg: 1}}, Family: Libp2p})
	// A Buffer goes back with Reset and can be used again.
	t.add("(*github.com/libp2p/go-buffer-pool.Buffer).", "Bytes Next", Func{Effects: []Effect{{Op: View}}})
}

func (t Table) addBpool() {
	const pkg = "github.com/oxtoacart/bpool."
	for _, recv := range []string{"(*" + pkg + "BufferPool).", "(*" + pkg + "SizedBufferPool).",
		"(*" + pkg + "BytePool).", "(" + pkg + "ByteSlicePool)."} {
		t.add(recv, "Get", Func{Effects: acquire, Family: Bpool})
		t.add(recv, "Put", Func{Effects: []Effect{{Op: Release, Arg: 1}}, Family: Bpool})
	}
	t.add("(*"+pkg+"BytePool).", "GetSlice", Func{Effects: acquire, Family: Bpool})
	t.add("(*"+pkg+"BytePool).", "PutSlice", Func{Effects: []Effect{{Op: Release, Arg: 1}}, Family: Bpool})
	t.add("("+pkg+"ByteSlice).", "Bytes BytesWithHeader Full ResliceTo", Func{Effects: []Effect{{Op: View}}})
}

// addGrpc adds google.golang.org/grpc/mem, whose Buffers are counted.
func (t Table) addGrpc() {
	const pkg = "google.golang.org/grpc/mem."
	pool := "(" + pkg + "BufferPool)."
	t.add(pool, "Get", Func{Effects: acquire, Family: GrpcPool})
	t.add(pool, "Put", Func{Effects: []Effect{{Op: Release, Arg: 1}}, Family: GrpcPool})

	add := func(prefix, names string, effects ...Effect) {
		t.add(prefix, names, Func{Effects: effects, Family: GrpcBuffer})
	}
	add(pkg, "Copy", acquire...)
	add(pkg, "NewBuffer", Effect{Op: Acquire}, Effect{Op: Keep})
	add(pkg, "ReadAll", acquire...)
	add(pkg, "ReadUnsafe", Effect{Op: Opaque, Arg: 1})
	add(pkg, "SplitUnsafe", Effect{Op: Whole}, Effect{Op: Acquire, Res: 1})
	for _, buffer := range []string{"(" + pkg + "Buffer).", "(" + pkg + "BufferSlice)."} {
		add(buffer, "Free", Effect{Op: Release})
		add(buffer, "Ref", Effect{Op: Share})
	}
	add("("+pkg+"Buffer).", "ReadOnlyData", Effect{Op: View})
	add("("+pkg+"Buffer).", "Slice", acquire...)
	add("("+pkg+"BufferSlice).", "MaterializeToBuffer", acquire...)
	add("("+pkg+"BufferSlice).", "Reader", Effect{Op: View}, Effect{Op: Share})
}

func (t Table) addZap() {
	const pkg = "go.uber.org/zap/buffer."
	t.add("("+pkg+"Pool).", "Get", Func{Effects: acquire, Family: ZapBuffer})
	const buffer = "(*" + pkg + "Buffer)."
	t.add(buffer, "Free", Func{Effects: []Effect{{Op: Release}}, Family: ZapBuffer})
	t.add(buffer, "Bytes", Func{Effects: []Effect{{Op: View}}})
	t.add(buffer, "Write WriteString", Func{Effects: []Effect{{Op: Nil, Res: 1}}})
}

func (t Table) addFasthttp() {
	const pkg = "github.com/valyala/fasthttp."
	for _, typ := range []string{"Args", "Cookie", "Request", "Response", "URI"} {
		t.add(pkg, "Acquire"+typ, Func{Effects: acquire, Family: Fasthttp, Default: true})
		t.add(pkg, "Release"+typ, Func{Effects: []Effect{{Op: Release}}, Family: Fasthttp, Default: true})
	}
	for typ, names := range map[string]string{
		"Args":     "QueryString Peek PeekBytes PeekMulti PeekMultiBytes",
		"Cookie":   "Cookie Domain Key Path Value",
		"URI":      "FullURI Hash Host LastPathSegment Password Path PathOriginal QueryArgs QueryString RequestURI Scheme Username",
		"Request":  "Body BodyStream BodyWriter Host PostArgs RequestURI URI",
		"Response": "Body BodyStream BodyWriter",
		"RequestHeader": `ContentEncoding ContentType Cookie CookieBytes Header Host Method MultipartFormBoundary Peek
			PeekAll PeekBytes PeekKeys RawHeaders Referer RequestURI TrailerHeader UserAgent`,
		"ResponseHeader": "ContentEncoding ContentType Header Peek PeekAll PeekBytes PeekCookie PeekKeys Server StatusMessage TrailerHeader",
	} {
		t.add("(*"+pkg+typ+").", names, Func{Effects: []Effect{{Op: View}}})
	}
	for _, typ := range []string{"Request", "Response"} {
		recv := "(*" + pkg + typ + ")."
		t.add(recv, "SwapBody", Func{Effects: []Effect{{Op: Opaque, Arg: 1}}})
	}
}
