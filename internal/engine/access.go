package engine

// Of returns the pool inside a *bytespool.CapacityPools. Package bytespool sets
// it: the packages on top of it need the engine, and its users do not.
var Of func(pools any) *Pool
