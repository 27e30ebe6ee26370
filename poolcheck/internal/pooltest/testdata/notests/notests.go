package notests

import "sync"

var Pool sync.Pool
