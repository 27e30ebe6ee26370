// Command octet shows, on the machine in front of its reader, what the octet
// packages save.
package main

func main() {}
