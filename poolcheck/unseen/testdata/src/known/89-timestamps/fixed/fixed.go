// Package fixed reads the timestamps of a segment, several blocks at a time.
package fixed

import (
	"encoding/binary"
	"errors"
	"io"
	"log"
	"slices"
	"sync"
)

const (
	deltaEncoding = 0x21
	stampsPerSlab = 16384
)

var (
	errEncoding = errors.New("unknown encoding of timestamps")
	errShort    = errors.New("block ends too early")
)

var stampPool = sync.Pool{
	New: func() any {
		slab := make([]uint64, stampsPerSlab)
		return &slab
	},
}

var rawPool = sync.Pool{
	New: func() any {
		raw := make([]byte, 0, 1<<20)
		return &raw
	},
}

// A blockMeta says where the timestamps of a block are.
type blockMeta struct {
	offset  int64
	length  int
	records int
}

type blockRequest struct {
	block   uint16
	raw     []byte
	records int
}

// decodeStamps decodes into stamps, which it makes longer if need be.
func decodeStamps(raw []byte, records int, stamps []uint64) ([]uint64, error) {
	if len(raw) < 10 || raw[0] != deltaEncoding {
		return nil, errEncoding
	}
	if missing := records - len(stamps); missing > 0 {
		stamps = append(stamps, make([]uint64, missing)...)
	}
	width, low := int(raw[1]), binary.LittleEndian.Uint64(raw[2:])
	raw = raw[10:]
	if len(raw) < records*width {
		return nil, errShort
	}
	for i := range records {
		var delta uint64
		for j := width - 1; j >= 0; j-- {
			delta = delta<<8 | uint64(raw[i*width+j])
		}
		stamps[i] = low + delta
	}
	return stamps, nil
}

// decodeBlocks serves requests until there are no more. The owner of the result
// owns what it decodes.
func decodeBlocks(requests <-chan blockRequest, wg *sync.WaitGroup, lock *sync.Mutex, result map[uint16][]uint64) {
	defer wg.Done()
	for req := range requests {
		slab := *stampPool.Get().(*[]uint64)
		stamps, err := decodeStamps(req.raw, req.records, slab)
		if err != nil {
			log.Printf("block %d: %v", req.block, err)
			stampPool.Put(&slab)
			continue
		}
		lock.Lock()
		result[req.block] = stamps
		lock.Unlock()
	}
}

// adjacent returns how many of the blocks follow each other.
func adjacent(order []uint16) int {
	n := 1
	for n < len(order) && order[n] == order[n-1]+1 {
		n++
	}
	return n
}

// readStamps reads the timestamps of all the blocks. The result is to be given back
// with returnStamps.
func readStamps(segment io.ReaderAt, blocks map[uint16]blockMeta, parallelism int) map[uint16][]uint64 {
	order := make([]uint16, 0, len(blocks))
	for block := range blocks {
		order = append(order, block)
	}
	slices.Sort(order)

	var (
		wg       sync.WaitGroup
		lock     sync.Mutex
		result   = make(map[uint16][]uint64, len(blocks))
		requests = make(chan blockRequest)
	)
	for range parallelism {
		wg.Add(1)
		go decodeBlocks(requests, &wg, &lock, result)
	}
	for len(order) > 0 {
		run := order[:adjacent(order)]
		order = order[len(run):]
		first, length := blocks[run[0]].offset, 0
		for _, block := range run {
			length += blocks[block].length
		}
		raw := *rawPool.Get().(*[]byte)
		raw = slices.Grow(raw[:0], length)[:length]
		defer rawPool.Put(&raw)
		if _, err := segment.ReadAt(raw, first); err != nil {
			log.Printf("reading %d bytes at %d: %v", length, first, err)
			continue
		}
		for _, block := range run {
			meta := blocks[block]
			start := int(meta.offset - first)
			requests <- blockRequest{block, raw[start : start+meta.length], meta.records}
		}
	}
	close(requests)
	wg.Wait()
	return result
}

// returnStamps gives back what readStamps has read.
func returnStamps(result map[uint16][]uint64) {
	for block := range result {
		stamps := result[block]
		stampPool.Put(&stamps)
	}
}

// A timeRange has both its ends.
type timeRange struct{ from, to uint64 }

// countMatches counts the records of a segment whose time is in the range.
func countMatches(segment io.ReaderAt, blocks map[uint16]blockMeta, r timeRange) map[uint16]int {
	all := readStamps(segment, blocks, 4)
	defer returnStamps(all)

	matches := make(map[uint16]int, len(all))
	for block, stamps := range all {
		for _, t := range stamps[:blocks[block].records] {
			if r.from <= t && t <= r.to {
				matches[block]++
			}
		}
	}
	return matches
}
