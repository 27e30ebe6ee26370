package oct001

import (
	"io"

	"oct001/columns"
)

// ok: what Append has released is not what the next Append finds.
func twoColumns(r io.ByteReader) error {
	a, b := columns.NewBuilder(), columns.NewBuilder()
	defer a.Release()
	defer b.Release()
	for {
		v, err := r.ReadByte()
		if err != nil {
			return err
		}
		a.Append(v)
		b.Append(v + 1)
	}
}
