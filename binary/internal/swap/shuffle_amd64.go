//go:build !octet_purego

package swap

// vector is the least number of bytes that shuffle takes.
const vector = 16

// haveShuffle is set during initialization and only read afterwards.
var haveShuffle = detectAVX2()

// shuffle copies n bytes, n >= vector, and reverses elements of 2, 4 or 8 bytes,
// of whose size n is a multiple. It uses AVX2.
//
// Sound: it reads n bytes from src and writes n bytes to dst, and nothing else. Copy has
// checked that both have them.
//
//go:noescape
func shuffle(dst, src *byte, n, size int)

// cpuid executes the instruction of that name.
func cpuid(leaf, subleaf uint32) (eax, ebx, ecx, edx uint32)

// xgetbv0 reads the register XCR0. It faults without OSXSAVE.
func xgetbv0() (eax, edx uint32)

// detectAVX2 follows Intel's Software Developer's Manual, volume 1, 14.3 and
// 14.7.1: the processor must have AVX2, and the system must save the registers
// that it uses when it switches between threads.
func detectAVX2() bool {
	const (
		osxsave = 1 << 27     // leaf 1, ECX
		avx     = 1 << 28     // leaf 1, ECX
		avx2    = 1 << 5      // leaf 7, EBX
		sseAVX  = 1<<1 | 1<<2 // XCR0: XMM and the upper halves of YMM
	)
	if highest, _, _, _ := cpuid(0, 0); highest < 7 {
		return false
	}
	if _, _, ecx, _ := cpuid(1, 0); ecx&osxsave == 0 || ecx&avx == 0 {
		return false
	}
	if eax, _ := xgetbv0(); eax&sseAVX != sseAVX {
		return false
	}
	_, ebx, _, _ := cpuid(7, 0)
	return ebx&avx2 != 0
}
