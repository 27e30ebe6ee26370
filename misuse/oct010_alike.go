package main

import (
	"github.com/octet-go/octet/bytespool"
)

var oct010Alike = []program{
	{budgetBounds, "a budget turns down what is too much"},
}

func budgetBounds() {
	p := bytespool.NewPool(bytespool.WithSizes(1024, 1<<20), bytespool.WithIdleBudget(64<<10))
	for range 20 {
		var held [][]byte
		for range 20 {
			held = append(held, p.New(16<<10))
		}
		for _, b := range held {
			b[0] = 1
			p.Release(b)
		}
	}
}
