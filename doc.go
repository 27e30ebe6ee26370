// Package octet is the root of a module for programs that move bytes. It has no code
// of its own; import the packages that you need:
//
//   - [github.com/octet-go/octet/bytespool]: pools of byte slices
//   - [github.com/octet-go/octet/bytespool/buffer]: a pooled, reference-counted buffer
//   - [github.com/octet-go/octet/bytebuf]: bytes.Buffer whose String does not copy
//   - [github.com/octet-go/octet/binary]: numbers, strings and messages in binary form
//   - [github.com/octet-go/octet/checked]: finds misuse of pooled memory in a running
//     program
//   - [github.com/octet-go/octet/pooltest]: fails tests that do not release their memory
//
// Find where a pool pays, pool it, prove it right, run it: the command octet (cmd/octet)
// forecasts the savings of pools in a program, and measures these packages on your machine;
// poolcheck finds misuse before a program runs and in its tests; package checked and
// [github.com/octet-go/octet/poolz] watch a running program. The commands are modules
// of their own. This module requires no other.
package octet
