// Package notests has no tests.
package notests

import "sync"

var Pool sync.Pool
