package oct002

import (
	"errors"
	"fmt"
	"sync"
)

type label struct{ key, value []byte }

// A labelSet is pooled with its labels, and these with their bytes.
type labelSet struct {
	group  []byte
	labels []label
}

var labelSets sync.Pool

func getLabels() *labelSet {
	v := labelSets.Get()
	if v == nil {
		return &labelSet{}
	}
	return v.(*labelSet)
}

func putLabels(l *labelSet) {
	l.reset()
	labelSets.Put(l)
}

func (l *labelSet) reset() {
	l.group = l.group[:0]
	l.labels = l.labels[:0]
}

func (l *labelSet) next() *label {
	if len(l.labels) < cap(l.labels) {
		l.labels = l.labels[:len(l.labels)+1]
	} else {
		l.labels = append(l.labels, label{})
	}
	return &l.labels[len(l.labels)-1]
}

func (l *labelSet) add(key, value []byte) {
	if string(key) == "group" {
		l.group = append(l.group, value...)
		return
	}
	next := l.next()
	next.key = append(next.key[:0], key...)
	next.value = append(next.value[:0], value...)
}

func (l *labelSet) unmarshal(src []byte) error {
	l.reset()
	for len(src) > 0 {
		n := int(src[0])
		if len(src) < n+2 {
			return errors.New("short")
		}
		key := src[1 : n+1]
		src = src[n+1:]
		m := int(src[0])
		if len(src) < m+1 {
			return errors.New("short")
		}
		value := src[1 : m+1]
		src = src[m+1:]
		if len(key) == 0 {
			l.group = append(l.group[:0], value...)
		} else {
			l.add(key, value)
		}
	}
	return nil
}

var lastLabels []label

// bad: somebody else has the list, too
func labelsKept(src []byte) string {
	l := getLabels()
	defer putLabels(l)
	l.labels = append(l.labels, label{})
	lastLabels = l.labels // want "OCT002: .* outlives its release"
	next := &l.labels[len(l.labels)-1]
	next.key = append(next.key[:0], src...)
	return fmt.Sprint(len(l.labels))
}

// bad: a list of the program's own has the bytes of the set
func labelsCopied(src []byte) *[]label {
	l := getLabels()
	defer putLabels(l)
	l.group = append(l.group, src...)
	list := new([]label)
	*list = append(*list, label{key: l.group}) // want "OCT002: .* outlives its release"
	return list
}

// ok: the labels grow within the set, which has them when it goes back
func labelsText(src []byte) string {
	l := getLabels()
	defer putLabels(l)
	if err := l.unmarshal(src); err != nil {
		return err.Error()
	}
	return fmt.Sprint(len(l.labels))
}
