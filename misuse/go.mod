module github.com/octet-go/octet/misuse

go 1.26.0

require github.com/octet-go/octet v0.0.0

require (
	github.com/google/go-cmp v0.7.0 // indirect
	github.com/octet-go/octet/poolcheck v0.0.0 // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
)

replace (
	github.com/octet-go/octet => ..
	github.com/octet-go/octet/poolcheck => ../poolcheck
)

tool github.com/octet-go/octet/poolcheck/cmd/poolcheck
