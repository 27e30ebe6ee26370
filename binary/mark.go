package binary

// A Mark remembers a place in what is being written or read: the beginning of a
// span that has its length in front, or of one that is summed. Begin and Mark
// set it, End and CRC32C use it. It belongs to the one that set it and is good
// until that one's next Reset. The zero value is a mark that is not set.
type Mark struct {
	at    int64 // where the content begins
	outer int64 // reading: where the input ends once this span is closed
	kind  kind
}

// A kind says what End does for a mark.
type kind uint8

const (
	unmarked kind = iota
	place         // nothing: the mark is only a place
	prefix8       // the length goes in front of the content
	prefix16
	prefix24
	prefix32
	prefixVarint
	prefixCRC // the checksum goes in front
	bound     // reading: the span ends here
)

// take returns the mark and clears it, so that what is closed twice, or never was
// open, is found.
func (m *Mark) take(method string) Mark {
	t := *m
	if t.kind == unmarked {
		panic("binary: " + method + " of a mark that is not set")
	}
	*m = Mark{}
	return t
}
