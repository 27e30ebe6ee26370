module example.com/legal

go 1.26.0
