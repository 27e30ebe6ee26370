// Command floor is what plain is without pools.
package main

import (
	"fmt"
	"io"
	"os"
)

func main() { fmt.Fprintf(os.Stdout, "%v\n", io.EOF) }
