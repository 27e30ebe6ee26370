// Command host does not link octet. It loads the plugin that its argument names, and
// calls it.
package main

import (
	"fmt"
	"os"
	"plugin"
)

func main() {
	fmt.Fprintln(os.Stderr, "the host runs") // a reporter has standard error alone
	p, err := plugin.Open(os.Args[1])
	if err != nil {
		panic(err)
	}
	use, err := p.Lookup("Use")
	if err != nil {
		panic(err)
	}
	use.(func())()
}
