module example.com/nopool

go 1.26.0
