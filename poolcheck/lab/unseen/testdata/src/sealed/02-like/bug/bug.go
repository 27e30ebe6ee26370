// Package bug filters rows with LIKE patterns.
package bug

import (
	"errors"
	"fmt"
	"sync"
	"unicode/utf8"
)

var (
	errInvalidText = errors.New("invalid text for the character set")
	errEscape      = errors.New("the pattern ends with an escape")
)

// A node matches one character, or any number of characters.
type node struct {
	char rune
	any  bool // one character, whatever it is
	many bool // any number of characters
}

// A matcher has a place where it remembers how far it came, so only one
// goroutine may use it at a time.
type matcher struct {
	nodes   []node
	text    []rune
	reached []bool
}

// A compiled pattern is a matcher, or why there is none.
type compiled struct {
	matcher matcher
	err     error
}

// compile reads a pattern into what the result already has room for.
func compile(pattern string, escape rune) *compiled {
	c := &compiled{matcher: matcher{
		nodes:   make([]node, 0, len(pattern)),
		text:    make([]rune, 0, 64),
		reached: make([]bool, 0, 64),
	}}
	if !utf8.ValidString(pattern) {
		c.err = fmt.Errorf("pattern %q: %w", pattern, errInvalidText)
		return c
	}
	escaped := false
	for _, r := range pattern {
		switch {
		case escaped:
			c.matcher.nodes = append(c.matcher.nodes, node{char: r})
			escaped = false
		case r == escape:
			escaped = true
		case r == '_':
			c.matcher.nodes = append(c.matcher.nodes, node{any: true})
		case r == '%':
			c.matcher.nodes = append(c.matcher.nodes, node{many: true})
		default:
			c.matcher.nodes = append(c.matcher.nodes, node{char: r})
		}
	}
	if escaped {
		c.err = errEscape
	}
	return c
}

func (m *matcher) match(s string) bool {
	m.text = m.text[:0]
	for _, r := range s {
		m.text = append(m.text, r)
	}
	m.reached = m.reached[:0]
	for range len(m.text) + 1 {
		m.reached = append(m.reached, false)
	}
	m.reached[0] = true
	for _, n := range m.nodes {
		if n.many {
			for i := 1; i < len(m.reached); i++ {
				m.reached[i] = m.reached[i] || m.reached[i-1]
			}
			continue
		}
		for i := len(m.text); i > 0; i-- {
			m.reached[i] = m.reached[i-1] && (n.any || n.char == m.text[i-1])
		}
		m.reached[0] = false
	}
	return m.reached[len(m.text)]
}

type row []any

// An expression is a column or a constant.
type expression interface {
	eval(row row) (any, error)
	constant() bool
}

type session struct {
	mu       sync.Mutex
	warnings []string
}

func (s *session) warn(text string) {
	s.mu.Lock()
	s.warnings = append(s.warnings, text)
	s.mu.Unlock()
}

// A like is evaluated by several goroutines at a time.
type like struct {
	left, right expression
	escape      rune
	constant    bool // the pattern is the same for all rows
	first       sync.Once
	pool        *sync.Pool
}

func newLike(left, right expression, escape rune) *like {
	return &like{left: left, right: right, escape: escape, constant: right.constant()}
}

// eval returns true, false, or nil if that cannot be said.
func (l *like) eval(s *session, row row) (any, error) {
	left, err := l.left.eval(row)
	if err != nil || left == nil {
		return nil, err
	}
	text, ok := left.(string)
	if !ok {
		text = fmt.Sprint(left)
	}
	right, err := l.right.eval(row)
	if err != nil || right == nil {
		return nil, err
	}
	pattern, ok := right.(string)
	if !ok {
		pattern = fmt.Sprint(right)
	}

	var c *compiled
	if !l.constant {
		c = compile(pattern, l.escape)
	} else {
		l.first.Do(func() {
			l.pool = &sync.Pool{New: func() any { return compile(pattern, l.escape) }}
		})
		c = l.pool.Get().(*compiled)
	}
	if c.err != nil {
		err := c.err
		if errors.Is(err, errInvalidText) {
			// Such a pattern matches nothing, which is no error.
			s.warn(err.Error())
			return nil, nil
		}
		return nil, err
	}

	matches := c.matcher.match(text)
	if l.constant {
		l.pool.Put(c)
	}
	return matches, nil
}

// filter returns the rows that match.
func filter(s *session, l *like, rows []row) ([]row, error) {
	var out []row
	for _, r := range rows {
		v, err := l.eval(s, r)
		if err != nil {
			return nil, err
		}
		if matches, ok := v.(bool); ok && matches {
			out = append(out, r)
		}
	}
	return out, nil
}
