// Package bug hashes files block by block.
package bug

import (
	"context"
	"crypto/sha256"
	"hash"
	"io"
	"sync"
)

const copySize = 32 << 10

var copyBuffers = sync.Pool{
	New: func() any { return new([copySize]byte) },
}

var digests = sync.Pool{
	New: func() any { return sha256.New() },
}

var sumOfNothing = sha256.Sum256(nil)

type block struct {
	offset int64
	size   int
	sum    []byte
}

// hashBlocks reads r to its end. A hint that is not negative says how much there
// is to read.
func hashBlocks(ctx context.Context, r io.Reader, size int, hint int64) ([]block, error) {
	digest := digests.Get().(hash.Hash)
	var blocks []block
	var sums, sum []byte
	if hint >= 0 {
		// All sums share one array.
		r = io.LimitReader(r, hint)
		n := hint / int64(size)
		if hint%int64(size) != 0 {
			n++
		}
		blocks = make([]block, 0, n)
		sums = make([]byte, 0, n*sha256.Size)
	}

	buf := copyBuffers.Get().(*[copySize]byte)[:]

	var offset int64
	limited := &io.LimitedReader{R: r}
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		default:
		}

		limited.N = int64(size)
		n, err := io.CopyBuffer(digest, limited, buf)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			break
		}
		sums = digest.Sum(sums)
		sum, sums = sums[:sha256.Size], sums[sha256.Size:]
		blocks = append(blocks, block{offset: offset, size: int(n), sum: sum})
		offset += n
		digest.Reset()
	}
	copyBuffers.Put((*[copySize]byte)(buf))
	digest.Reset()
	digests.Put(digest)

	if len(blocks) == 0 {
		blocks = append(blocks, block{sum: sumOfNothing[:]})
	}
	return blocks, nil
}
