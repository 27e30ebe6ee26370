// Command plugin is a plugin that uses a pool.
package main

import (
	"fmt"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/checked"
)

// Use uses a pool, in the mode of OCTETDEBUG.
func Use() {
	bytespool.Release(bytespool.New(4096))
	fmt.Println(checked.Current().Mode)
}
