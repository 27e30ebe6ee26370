package oct002

import "sync"

// A listed batch has a list that is used again.
type listedBatch struct {
	values [][]byte
	owner  []string
}

var listedBatches = sync.Pool{New: func() any { return new(listedBatch) }}

func (b *listedBatch) free() {
	b.values = b.values[:0]
	b.owner = nil
	listedBatches.Put(b)
}

// bad: the list is overwritten by the next user of the batch.
func valuesOf(values [][]byte) [][]byte {
	b := listedBatches.Get().(*listedBatch)
	defer b.free()
	b.values = append(b.values, values...)
	return b.values // want "OCT002: b.values outlives its release"
}

// ok: the batch forgets this list.
func ownersOf(names []string) []string {
	b := listedBatches.Get().(*listedBatch)
	defer b.free()
	b.owner = append(b.owner, names...)
	return b.owner
}

// ok: the list is a new one.
func copyOf(values [][]byte) [][]byte {
	b := listedBatches.Get().(*listedBatch)
	defer b.free()
	b.values = append(b.values, values...)
	return append([][]byte(nil), b.values...)
}

type batchPart struct{ data []byte }

var batchParts = sync.Pool{New: func() any { return new(batchPart) }}

func (p *batchPart) free() {
	p.data = p.data[:0]
	batchParts.Put(p)
}

type partsOfBatch struct{ parts map[int]*batchPart }

// ok: each part keeps its own data.
func join(all map[int]*partsOfBatch, id, i int, p *batchPart) []byte {
	b := all[id]
	if b == nil {
		b = &partsOfBatch{parts: make(map[int]*batchPart)}
		all[id] = b
	}
	b.parts[i] = p
	var out []byte
	for i := range len(b.parts) {
		q := b.parts[i]
		out = append(out, q.data...)
		q.free()
	}
	return out
}
