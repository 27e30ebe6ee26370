module example.com/user

go 1.26.0

require example.com/lib v0.0.0
