module example.com/program

go 1.26.0
