module github.com/octet-go/octet/cmd/octet

go 1.26.0

require (
	github.com/octet-go/octet v0.0.0
	golang.org/x/crypto v0.58.0
)

replace github.com/octet-go/octet => ../..
