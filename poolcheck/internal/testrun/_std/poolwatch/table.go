package poolwatch

// A table maps addresses, which are not 0, to values: lists of the keys of equal hash.
type table[T any] struct {
	rows [1 << 13]*cell[T]
	free *cell[T]
}

type cell[T any] struct {
	key  uintptr
	val  *T
	next *cell[T]
}

// find returns where the pointer to a key's cell is, or would be.
func (t *table[T]) find(key uintptr) **cell[T] {
	at := &t.rows[uint64(key)*0x9e3779b97f4a7c15>>51]
	for *at != nil && (*at).key != key {
		at = &(*at).next
	}
	return at
}

func (t *table[T]) get(key uintptr) *T {
	if c := *t.find(key); c != nil {
		return c.val
	}
	return nil
}

func (t *table[T]) set(key uintptr, val *T) {
	at := t.find(key)
	if *at == nil {
		c := t.free
		if c == nil {
			c = new(cell[T])
		} else {
			t.free = c.next
		}
		*c = cell[T]{key: key}
		*at = c
	}
	(*at).val = val
}

func (t *table[T]) remove(key uintptr) {
	at := t.find(key)
	if c := *at; c != nil {
		*at = c.next
		*c = cell[T]{next: t.free}
		t.free = c
	}
}
