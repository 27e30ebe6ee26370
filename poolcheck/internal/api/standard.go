package api

import "strings"

// The standard library borrows: whatever it is given is read or written during
// the call and not kept. The rows below are the exceptions. They are written, not
// computed from its source, which would say too much and too little: that fmt stores its
// arguments, and not that it clears them again; nothing of lists that loops fill, of
// interfaces, and of what a package's documentation promises.

// Standard reports whether path is a package of the standard library.
func Standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return standardRoots[first]
}

var standardRoots = func() map[string]bool {
	m := make(map[string]bool)
	for _, root := range strings.Fields(`archive bufio bytes cmp compress container context crypto
		database debug embed encoding errors expvar flag fmt go hash html image index internal io
		iter log maps math mime net os path plugin reflect regexp runtime slices sort strconv
		strings structs sync syscall testing text time unicode unique unsafe vendor weak`) {
		m[root] = true
	}
	return m
}()

func (t Table) addStandard() {
	whole := Effect{Op: Whole}
	noReturn := Effect{Op: NoReturn}
	part := Effect{Op: Part}
	view := Effect{Op: View}
	view1 := Effect{Op: View, Arg: 1}

	// Results that show an argument.
	t.add("bytes.", "TrimRight TrimRightFunc TrimSuffix", whole)
	t.add("bytes.", "TrimLeft TrimLeftFunc TrimPrefix TrimSpace Trim TrimFunc", part)
	t.add("bytes.", "CutPrefix", part)
	t.add("bytes.", "CutSuffix", whole)
	t.add("bytes.", "Cut CutLast", Effect{Op: Whole}, Effect{Op: Part, Res: 1})
	t.add("bytes.", `Fields FieldsFunc Split SplitN SplitAfter SplitAfterN Lines FieldsSeq
		FieldsFuncSeq NewReader NewBuffer`, view)
	t.add("strings.", `TrimLeft TrimLeftFunc TrimPrefix TrimSpace Trim TrimFunc TrimRight TrimRightFunc
		TrimSuffix CutPrefix CutSuffix Fields FieldsFunc Split SplitN SplitAfter SplitAfterN NewReader Lines
		FieldsSeq FieldsFuncSeq Repeat Replace ReplaceAll ToLower ToUpper ToValidUTF8
		NewReplacer`, view)
	for _, pkg := range []string{"bytes.", "strings."} {
		t.add(pkg, "SplitSeq SplitAfterSeq", Effect{Op: View}, Effect{Op: View, Arg: 1})
	}
	t.add("strings.", "Cut CutLast", Effect{Op: View}, Effect{Op: View, Res: 1})
	t.add("slices.", "Clip Grow Insert Delete DeleteFunc Replace Compact CompactFunc", whole)
	t.add("slices.", "Values All", view)
	t.add("bufio.", "NewReader NewReaderSize NewWriter NewWriterSize NewScanner", view)
	t.add("bufio.", "NewReadWriter", Effect{Op: View}, Effect{Op: View, Arg: 1})
	t.add("io.", "LimitReader NopCloser NewSectionReader NewOffsetWriter", view)
	t.add("io.", "TeeReader MultiReader MultiWriter", Effect{Op: View}, Effect{Op: View, Arg: 1})
	t.add("encoding/json.", "NewEncoder NewDecoder", view)
	t.add("encoding/xml.", "NewEncoder NewDecoder", view)
	t.add("encoding/gob.", "NewEncoder NewDecoder", view)
	t.add("encoding/csv.", "NewReader NewWriter", view)
	t.add("encoding/hex.", "NewDecoder NewEncoder Dumper", view)
	t.add("encoding/base64.", "NewEncoder NewDecoder", view1)
	level := []Effect{{Op: View}, {Op: Sound, Arg: 1, Res: 1}}
	t.add("compress/gzip.", "NewReader NewWriter", view)
	t.add("compress/gzip.", "NewWriterLevel", level...)
	t.add("compress/flate.", "NewReader", view)
	t.add("compress/flate.", "NewWriter NewWriterDict", level...)
	t.add("compress/lzw.", "NewReader NewWriter", view)
	t.add("compress/zlib.", "NewReader NewWriter", view)
	t.add("compress/zlib.", "NewWriterLevel NewWriterLevelDict", level...)
	t.add("mime/multipart.", "NewReader NewWriter", view)
	t.add("net/http.", "NewRequest", Effect{Op: View, Arg: 2})
	t.add("net/http.", "NewRequestWithContext", Effect{Op: View, Arg: 3})
	t.add("net/http/httptest.", "NewRequest", Effect{Op: View, Arg: 2})
	t.add("context.", `WithCancel WithCancelCause WithDeadline WithDeadlineCause WithTimeout WithTimeoutCause
		WithoutCancel`, view)
	t.add("context.", "WithValue", Effect{Op: View}, Effect{Op: View, Arg: 2})
	t.add("log/slog.", "Any", view1)
	t.add("reflect.", "ValueOf", view)
	t.add("(reflect.Value).", "Addr Elem Field FieldByIndex FieldByName Index Slice Slice3 Bytes", view)
	t.add("(reflect.Value).", "Set SetBytes", Effect{Op: Keep, Arg: 1})
	t.add("net/http.", "ReadRequest ReadResponse", view)
	for _, m := range []string{"(net/url.Values).", "(net/http.Header)."} {
		t.add(m, "Add Set", Effect{Op: Keep, Arg: 1}, Effect{Op: Keep, Arg: 2})
	}
	t.add("(*regexp.Regexp).", `Find FindAll FindAllString FindAllStringSubmatch FindAllSubmatch FindString
		FindStringSubmatch FindSubmatch Split`, view1)

	// Append functions return their first slice, perhaps moved.
	appends := "AppendInt AppendUint AppendFloat AppendBool AppendQuote AppendQuoteRune AppendQuoteToASCII " +
		"AppendQuoteToGraphic AppendQuoteRuneToASCII AppendQuoteRuneToGraphic"
	t.add("strconv.", appends, whole)
	t.add("fmt.", "Append Appendf Appendln", whole)
	t.add("unicode/utf8.", "AppendRune", whole)
	t.add("encoding/hex.", "AppendEncode AppendDecode", whole)
	t.add("encoding/binary.", "Append AppendUvarint AppendVarint", whole)
	for _, order := range []string{"littleEndian", "bigEndian", "AppendByteOrder"} {
		t.add("(encoding/binary."+order+").", "AppendUint16 AppendUint32 AppendUint64",
			Effect{Op: Whole, Arg: 1})
	}
	method1 := Effect{Op: Whole, Arg: 1}
	t.add("(*encoding/base64.Encoding).", "AppendEncode AppendDecode", method1)
	t.add("(time.Time).", "AppendFormat", method1)
	t.add("(hash.Hash).", "Sum", method1)
	t.add("(hash.Hash).", "Write", Effect{Op: Nil, Res: 1})
	t.add("(crypto/cipher.AEAD).", "Open Seal", method1)
	t.add("(encoding.BinaryAppender).", "AppendBinary", method1)
	t.add("(encoding.TextAppender).", "AppendText", method1)
	for _, addr := range []string{"Addr", "AddrPort", "Prefix"} {
		t.add("(net/netip."+addr+").", "AppendTo AppendBinary AppendText", method1)
	}
	t.add("(*math/big.Int).", `Abs Add And AndNot Binomial Div Exp GCD Lsh Mod ModInverse ModSqrt Mul MulRange Neg Not Or
		Quo Rand Rem Rsh Set SetBit SetBits SetBytes SetInt64 SetUint64 Sqrt Sub Xor`, whole)
	t.add("(*regexp.Regexp).", "AppendText Expand ExpandString", method1)
	t.add("(*bytes.Buffer).", "AvailableBuffer", whole)

	// Methods that show what their receiver holds.
	t.add("(*bytes.Buffer).", "Bytes Next Peek", view)
	t.add("(*bufio.Reader).", "Peek ReadSlice ReadLine", view)
	t.add("(*bufio.Scanner).", "Bytes", view)
	t.add("(*bufio.Writer).", "AvailableBuffer", view)
	t.add("(*net/http.Request).", "WithContext Clone", Effect{Op: View}, Effect{Op: View, Arg: 1})

	// Methods that make their receiver show other memory.
	reset := Effect{Op: Reset}
	for _, typ := range []string{"bytes.Reader", "strings.Reader", "bufio.Reader", "bufio.Writer"} {
		t.add("(*"+typ+").", "Reset", reset, Effect{Op: Attach})
	}
	for _, typ := range []string{"flate.Writer", "gzip.Reader", "gzip.Writer", "lzw.Reader", "lzw.Writer", "zlib.Writer"} {
		t.add("(*compress/"+typ+").", "Reset", Effect{Op: Attach})
	}

	// Arguments that are kept.
	keep1 := Effect{Op: Keep, Arg: 1}
	t.add("(*sync.Map).", "Store Swap", Effect{Op: Keep, Arg: 1}, Effect{Op: Keep, Arg: 2})
	t.add("(*sync.Map).", "LoadOrStore", Effect{Op: Opaque, Arg: 1}, Effect{Op: Opaque, Arg: 2})
	t.add("(*container/list.List).", "PushBack PushFront InsertBefore InsertAfter", keep1)
	t.add("container/heap.", "Push", keep1)
	t.add("runtime.", "SetFinalizer AddCleanup", Effect{Op: Opaque}, Effect{Op: Opaque, Arg: 1}, Effect{Op: Opaque, Arg: 2})
	t.add("runtime.", "KeepAlive", Effect{Op: Mention})
	t.add("(*net/http.Server).", "ListenAndServe Serve", Effect{Op: Opaque})

	// A Transport may still read the body of a request when the call has returned.
	t.add("(*net/http.Client).", "Do", Effect{Op: Send, Arg: 1})
	t.add("(*net/http.Client).", "Post", Effect{Op: Send, Arg: 3})
	t.add("net/http.", "Post", Effect{Op: Send, Arg: 2})

	// Functions that run elsewhere, later, or perhaps not at all.
	t.add("time.", "AfterFunc", Effect{Op: Opaque, Arg: 1})
	t.add("context.", "AfterFunc", Effect{Op: Opaque, Arg: 1})
	t.add("(*sync.WaitGroup).", "Go", Effect{Op: Spawn, Arg: 1})
	t.add("(*golang.org/x/sync/errgroup.Group).", "Go TryGo", Effect{Op: Spawn, Arg: 1})
	for _, tb := range []string{"(*testing.common).", "(testing.TB)."} {
		t.add(tb, "Cleanup", Effect{Op: Opaque, Arg: 1})
		t.add(tb, "Fatal Fatalf FailNow Skip Skipf SkipNow", noReturn)
	}

	for _, typ := range strings.Fields("Int32 Int64 Uint32 Uint64 Uintptr Pointer Bool Value") {
		t.add("(*sync/atomic."+typ+").", "Store Swap", keep1)
		t.add("(*sync/atomic."+typ+").", "CompareAndSwap", Effect{Op: Keep, Arg: 2})
	}

	// Writers that never fail.
	for _, w := range []string{"(*bytes.Buffer).", "(*strings.Builder)."} {
		t.add(w, "Write WriteString WriteRune", Effect{Op: Nil, Res: 1})
		t.add(w, "WriteByte", Effect{Op: Nil})
	}

	// Writers that fail only if what they write to does.
	sound, sound1 := Effect{Op: Sound}, Effect{Op: Sound, Res: 1}
	for _, w := range []string{"(*compress/flate.Writer).", "(*compress/gzip.Writer).", "(*compress/zlib.Writer)."} {
		t.add(w, "Write", sound1)
		t.add(w, "Close Flush", sound)
	}
	for _, w := range []string{"(io.Writer).", "(*bufio.Writer)."} {
		t.add(w, "Write", sound1)
	}
	t.add("(*bufio.Writer).", "WriteRune WriteString", sound1)
	t.add("(*bufio.Writer).", "Flush WriteByte", sound)
	t.add("(*encoding/csv.Writer).", "Error Write WriteAll", sound)
	t.add("(*mime/multipart.Writer).", "CreateFormField CreateFormFile CreatePart",
		Effect{Op: View}, Effect{Op: Sound, Res: 1})
	t.add("(*mime/multipart.Writer).", "Close WriteField", sound)
	t.add("(io.Closer).", "Close", sound)
	t.add("(io.StringWriter).", "WriteString", sound1)
	t.add("io.", "WriteString", sound1)
	t.add("fmt.", "Fprint Fprintf Fprintln", sound1)
	t.add("encoding/binary.", "Write", Effect{Op: Sound}, Effect{Op: Sound, Arg: 2})
	for _, r := range []string{"(*bytes.Buffer).", "(*bytes.Reader).", "(*strings.Reader)."} {
		t.add(r, "WriteTo", Effect{Op: Sound, Arg: 1, Res: 1})
	}

	// Results.
	t.add("errors.", "New", Effect{Op: NonNil})
	t.add("fmt.", "Errorf", Effect{Op: NonNil})

	// Functions that do not return.
	t.add("", `os.Exit log.Fatal log.Fatalf log.Fatalln log.Panic log.Panicf log.Panicln (*log.Logger).Fatal
		(*log.Logger).Fatalf (*log.Logger).Fatalln (*log.Logger).Panic (*log.Logger).Panicf runtime.Goexit syscall.Exit`, noReturn)
}
