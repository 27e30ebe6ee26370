package oct002

import "sync"

// A scanner reads lists in brackets. Its keys are new for each list, its path is not.
type scanner struct{ keys, path []string }

var scanners = sync.Pool{New: func() any { return new(scanner) }}

func (s *scanner) scan(text string) {
	s.path = append(s.path[:0], text)
	var keys []string
	for range len(text) {
		keys = append(keys, text)
	}
	if len(text) > 0 {
		s.scan(text[1:])
	}
	s.keys = keys
}

// ok: nobody writes to keys, another list takes their place.
func keysOf(text string) []string {
	s := scanners.Get().(*scanner)
	defer scanners.Put(s)
	s.scan(text)
	return s.keys
}
