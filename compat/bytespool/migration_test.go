package bytespool_test

import (
	"net/http/httputil"

	"github.com/octet-go/octet/compat/bytespool"
)

// Everything that programs written for github.com/fufuok/bytespool may name, with
// its type. This file need only compile.
var (
	_ *bytespool.CapacityPools = bytespool.DefaultCapacityPools

	_ func(int, int) *bytespool.CapacityPools = bytespool.NewCapacityPools

	_ func(int, int)                   = bytespool.InitDefaultPools
	_ func([]byte, ...byte) []byte     = bytespool.Append
	_ func([]byte, string) []byte      = bytespool.AppendString
	_ func([]byte) []byte              = bytespool.Clone
	_ func(int) []byte                 = bytespool.New
	_ func(int) []byte                 = bytespool.Get
	_ func(int) []byte                 = bytespool.Make
	_ func(uint64) []byte              = bytespool.Make64
	_ func(uint64) []byte              = bytespool.New64
	_ func() []byte                    = bytespool.MakeMax
	_ func() []byte                    = bytespool.MakeMin
	_ func() []byte                    = bytespool.NewMax
	_ func() []byte                    = bytespool.NewMin
	_ func([]byte) []byte              = bytespool.NewBytes
	_ func(string) []byte              = bytespool.NewString
	_ func([]byte)                     = bytespool.Put
	_ func([]byte) bool                = bytespool.Release
	_ func() int                       = bytespool.MinSize
	_ func() int                       = bytespool.MaxSize
	_ func(bool)                       = bytespool.SetWithStats
	_ func() bool                      = bytespool.GetWithStats
	_ func(int, int) []byte            = bytespool.Bytes
	_ func(int) *bytespool.BufPool     = bytespool.NewBufPool
	_ func(*bytespool.BufPool) []byte  = (*bytespool.BufPool).Get
	_ func(*bytespool.BufPool, []byte) = (*bytespool.BufPool).Put
	_ httputil.BufferPool              = (*bytespool.BufPool)(nil)

	_ func(...*bytespool.CapacityPools) map[string]uint64             = bytespool.RuntimeStats
	_ func(int, ...*bytespool.CapacityPools) bytespool.RuntimeSummary = bytespool.RuntimeStatsSummary
	_ func(int, ...*bytespool.CapacityPools) []bytespool.PoolStat     = bytespool.PoolReuseStatsN
	_ func(int, ...*bytespool.CapacityPools) []bytespool.PoolStat     = bytespool.PoolReuseStats

	_ = bytespool.RuntimeSummary{NewBytes: uint64(0), OutBytes: uint64(0), OutCount: uint64(0), ReusedBytes: uint64(0), TopPools: []bytespool.PoolStat{}}
	_ = bytespool.PoolStat{Rank: int(0), Capacity: int(0), ReuseHits: uint64(0)}

	_ interface {
		Append([]byte, ...byte) []byte
		AppendString([]byte, string) []byte
		Clone([]byte) []byte
		New(int) []byte
		Get(int) []byte
		Make(int) []byte
		Make64(uint64) []byte
		New64(uint64) []byte
		MakeMax() []byte
		MakeMin() []byte
		NewMax() []byte
		NewMin() []byte
		NewBytes([]byte) []byte
		NewString(string) []byte
		Put([]byte)
		Release([]byte) bool
		MinSize() int
		MaxSize() int
		SetWithStats(bool)
		GetWithStats() bool
	} = (*bytespool.CapacityPools)(nil)
)
