package poolwatch

// A table maps addresses, which are not 0, to values. It uses open addressing with
// linear probing.
type table[T any] struct {
	keys []uintptr
	vals []*T
	n    int
}

func (t *table[T]) slot(key uintptr) int {
	h := uint64(key) * 0x9e3779b97f4a7c15
	return int(h>>32) & (len(t.keys) - 1)
}

func (t *table[T]) get(key uintptr) *T {
	if t.n == 0 {
		return nil
	}
	for i := t.slot(key); t.keys[i] != 0; i = (i + 1) & (len(t.keys) - 1) {
		if t.keys[i] == key {
			return t.vals[i]
		}
	}
	return nil
}

func (t *table[T]) set(key uintptr, val *T) {
	if t.n*2 >= len(t.keys) {
		old := *t
		size := max(64, len(old.keys)*2)
		*t = table[T]{keys: make([]uintptr, size), vals: make([]*T, size)}
		for i, k := range old.keys {
			if k != 0 {
				t.set(k, old.vals[i])
			}
		}
	}
	i := t.slot(key)
	for t.keys[i] != 0 && t.keys[i] != key {
		i = (i + 1) & (len(t.keys) - 1)
	}
	if t.keys[i] == 0 {
		t.n++
	}
	t.keys[i], t.vals[i] = key, val
}

func (t *table[T]) remove(key uintptr) {
	if t.n == 0 {
		return
	}
	mask := len(t.keys) - 1
	i := t.slot(key)
	for t.keys[i] != key {
		if t.keys[i] == 0 {
			return
		}
		i = (i + 1) & mask
	}
	t.n--
	// Move those back that stand behind the gap and may stand in it.
	for j := (i + 1) & mask; t.keys[j] != 0; j = (j + 1) & mask {
		if (j-t.slot(t.keys[j]))&mask >= (j-i)&mask {
			t.keys[i], t.vals[i] = t.keys[j], t.vals[j]
			i = j
		}
	}
	t.keys[i], t.vals[i] = 0, nil
}
