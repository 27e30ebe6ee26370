module github.com/octet-go/octet/poolcheck/lab

go 1.26.0
