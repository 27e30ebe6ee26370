package poolwatch

// A table maps addresses, which are not 0, to values.
type table[T any] struct {
	rows [1 << 13][]cell[T] // by the hash of the address
}

type cell[T any] struct {
	key uintptr
	val *T
}

// find returns a key's row, and where it is there, or the end of the row.
func (t *table[T]) find(key uintptr) (row *[]cell[T], i int) {
	row = &t.rows[hash(key)%uint64(len(t.rows))]
	for i < len(*row) && (*row)[i].key != key {
		i++
	}
	return row, i
}

func (t *table[T]) get(key uintptr) *T {
	if row, i := t.find(key); i < len(*row) {
		return (*row)[i].val
	}
	return nil
}

func (t *table[T]) set(key uintptr, val *T) {
	row, i := t.find(key)
	if i == len(*row) {
		*row = append(*row, cell[T]{key: key})
	}
	(*row)[i].val = val
}

func (t *table[T]) remove(key uintptr) {
	row, i := t.find(key)
	if last := len(*row) - 1; i <= last {
		(*row)[i] = (*row)[last]
		(*row)[last] = cell[T]{}
		*row = (*row)[:last]
	}
}

// hash mixes the bits of an address, of which the lowest are often 0.
func hash(key uintptr) uint64 { return uint64(key) * 0x9e3779b97f4a7c15 >> 48 }
