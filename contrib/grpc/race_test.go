//go:build race

package grpc

// raceDetector says whether the race detector is on, which makes calls slow.
const raceDetector = true

// workers is how many goroutines make calls of each kind.
const workers = 1
