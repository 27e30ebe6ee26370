//go:build !octet_purego

package swap

// vector is what the kernels need at least; shorter copies take the loops.
const vector = 16

// hasAVX2 is set once, before main, and only read afterwards.
var hasAVX2 = detectAVX2()

// shuffle16avx2 copies n bytes, n >= vector and a multiple of 2.
//
// Sound: it reads src[:n] and writes dst[:n], as the callers have checked that
// there are, and nothing else.
//
//go:noescape
func shuffle16avx2(dst, src *byte, n int)

// shuffle32avx2 is shuffle16avx2 for groups of four.
//
//go:noescape
func shuffle32avx2(dst, src *byte, n int)

// shuffle64avx2 is shuffle16avx2 for groups of eight.
//
//go:noescape
func shuffle64avx2(dst, src *byte, n int)

func copy16(dst, src []byte) {
	if hasAVX2 && len(src) >= vector {
		shuffle16avx2(&dst[0], &src[0], len(src)&^1)
	} else {
		loop16(dst, src)
	}
}

func copy32(dst, src []byte) {
	if hasAVX2 && len(src) >= vector {
		shuffle32avx2(&dst[0], &src[0], len(src)&^3)
	} else {
		loop32(dst, src)
	}
}

func copy64(dst, src []byte) {
	if hasAVX2 && len(src) >= vector {
		shuffle64avx2(&dst[0], &src[0], len(src)&^7)
	} else {
		loop64(dst, src)
	}
}

// cpuid executes the instruction of that name.
func cpuid(leaf, subleaf uint32) (eax, ebx, ecx, edx uint32)

// xgetbv0 reads the register XCR0. It faults without OSXSAVE.
func xgetbv0() (eax, edx uint32)

// detectAVX2 follows Intel's Software Developer's Manual, volume 1, 14.3 and
// 14.7.1: the processor must have AVX2, and the system must save the registers
// that it uses when it switches between processes.
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
