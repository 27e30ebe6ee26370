// Package bug filters rows with LIKE patterns.
package bug

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"
)

var errInvalidText = errors.New("invalid text for the character set")

// A compiled pattern has the words between its signs for any characters, or why there are none.
type compiled struct {
	words []string
	err   error
}

// compile reads a pattern.
func compile(pattern string) *compiled {
	c := &compiled{words: strings.Split(pattern, "%")}
	if !utf8.ValidString(pattern) {
		c.err = fmt.Errorf("pattern %q: %w", pattern, errInvalidText)
		return c
	}
	return c
}

func (c *compiled) match(s string) bool {
	for _, word := range c.words {
		_, after, ok := strings.Cut(s, word)
		if !ok {
			return false
		}
		s = after
	}
	return true
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
	constant    bool // the pattern is the same for all rows
	first       sync.Once
	pool        *sync.Pool
}

func newLike(left, right expression) *like {
	return &like{left: left, right: right, constant: right.constant()}
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
		c = compile(pattern)
	} else {
		l.first.Do(func() {
			l.pool = &sync.Pool{New: func() any { return compile(pattern) }}
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

	matches := c.match(text)
	if l.constant {
		l.pool.Put(c)
	}
	return matches, nil
}
