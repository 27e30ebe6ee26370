module github.com/octet-go/octet/misuse

go 1.26.0

require github.com/octet-go/octet v0.0.0

require (
	github.com/google/go-cmp v0.7.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/octet-go/octet/poolcheck v0.0.0 // indirect
	github.com/owenrumney/go-sarif/v3 v3.3.1 // indirect
	github.com/xeipuuv/gojsonpointer v0.0.0-20180127040702-4e3ac2762d5f // indirect
	github.com/xeipuuv/gojsonreference v0.0.0-20180127040603-bd5ef7bd5415 // indirect
	github.com/xeipuuv/gojsonschema v1.2.0 // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
)

replace (
	github.com/octet-go/octet => ..
	github.com/octet-go/octet/poolcheck => ../poolcheck
)

tool github.com/octet-go/octet/poolcheck/cmd/poolcheck
