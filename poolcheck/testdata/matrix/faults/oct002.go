package matrix

//fault:returned OCT002
// A view is returned under a deferred release.

func content() []byte {
	v := acquire()
	defer release(v)
	use(v)
	return view(v)              // fault
	return bytes.Clone(view(v)) // mended
}

//fault:stored OCT002 OCT001
// A view stays in a field.

type session struct{ last []byte }

func (s *session) step() {
	v := acquire()
	use(v)
	s.last = view(v)                        // fault
	s.last = append(s.last[:0], view(v)...) // mended
	release(v)
}

//fault:unsafe-string OCT002
// A string shows the memory without a copy.

func text() string {
	v := acquire()
	defer release(v)
	p := view(v)
	return unsafe.String(unsafe.SliceData(p), len(p)) // fault
	return string(p)                                  // mended
}

//fault:parsed OCT002
// What a parser cuts out of the memory is returned.

func cut(b []byte) (key, value []byte) {
	i := bytes.IndexByte(b, '=')
	if i < 0 {
		return b, nil
	}
	return b[:i], b[i+1:]
}

func key() []byte {
	v := acquire()
	use(v)
	k, _ := cut(view(v))
	k = bytes.Clone(k) // mended
	release(v)
	return k
}

//fault:in-struct OCT002
// A struct that shows the memory is returned.

type message struct{ key []byte }

func newMessage(b []byte) *message {
	return &message{key: b}              // fault
	return &message{key: bytes.Clone(b)} // mended
}

func receive() *message {
	v := acquire()
	defer release(v)
	use(v)
	return newMessage(view(v))
}
