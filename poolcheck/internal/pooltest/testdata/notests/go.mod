module example.com/notests

go 1.26.0
