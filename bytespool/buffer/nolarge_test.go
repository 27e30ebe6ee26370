//go:build race || 386 || arm

package buffer

const largeSlices = false
