module example.com/octetfails

go 1.26.0

require github.com/octet-go/octet v0.0.0

replace github.com/octet-go/octet => ../../../../..
