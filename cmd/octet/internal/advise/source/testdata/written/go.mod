module example.com/written

go 1.26.0
