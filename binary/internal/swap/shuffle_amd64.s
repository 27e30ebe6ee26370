//go:build !octet_purego

#include "textflag.h"

// The masks for VPSHUFB, at 8 times the element's size: byte i of the result is
// byte mask[i] of the source, within each half of 16 bytes.
DATA masks<>+16(SB)/8, $0x0607040502030001
DATA masks<>+24(SB)/8, $0x0e0f0c0d0a0b0809
DATA masks<>+32(SB)/8, $0x0405060700010203
DATA masks<>+40(SB)/8, $0x0c0d0e0f08090a0b
DATA masks<>+64(SB)/8, $0x0001020304050607
DATA masks<>+72(SB)/8, $0x08090a0b0c0d0e0f
GLOBL masks<>(SB), RODATA|NOPTR, $80

// func shuffle(dst, src *byte, n, size int)
//
// The last vector is read and shuffled before anything is written, and written
// at the end: whatever the loops left over is among it. What is written twice is
// written with the same bytes, since both the beginning and the end are
// multiples of the element; reading first makes that hold when dst and src are
// one.
//
// A long copy begins with two vectors that overlap, both read before either is
// written, so that the loops' writes do not straddle cache lines: 8 KiB took
// 117 ns without that, and 92 with it. The second begins R9 bytes after the
// first, which must be a multiple of the element, too.
//
// The loop four is not aligned: it begins 12 bytes behind a multiple of 32. At a
// multiple of 64 it took a quarter longer, anywhere else all the same (AMD EPYC).
TEXT ·shuffle(SB), NOSPLIT, $0-32
	MOVQ           dst+0(FP), DI
	MOVQ           src+8(FP), SI
	MOVQ           n+16(FP), CX
	MOVQ           size+24(FP), DX
	LEAQ           masks<>(SB), AX
	VBROADCASTI128 (AX)(DX*8), Y0
	CMPQ           CX, $32
	JLT            short
	VMOVDQU        -32(SI)(CX*1), Y5
	VPSHUFB        Y0, Y5, Y5
	LEAQ           -32(DI)(CX*1), R8
	CMPQ           CX, $512
	JLT            aligned
	MOVQ           DI, R9
	NEGQ           R9
	ANDQ           $31, R9
	JEQ            aligned
	DECQ           DX
	TESTQ          DX, R9
	JNE            aligned
	VMOVDQU        (SI), Y1
	VMOVDQU        (SI)(R9*1), Y2
	VPSHUFB        Y0, Y1, Y1
	VPSHUFB        Y0, Y2, Y2
	VMOVDQU        Y1, (DI)
	VMOVDQU        Y2, (DI)(R9*1)
	ADDQ           $32, R9
	ADDQ           R9, SI
	ADDQ           R9, DI
	SUBQ           R9, CX

aligned:
	SUBQ $128, CX
	JLT  rest

four:
	VMOVDQU (SI), Y1
	VMOVDQU 32(SI), Y2
	VMOVDQU 64(SI), Y3
	VMOVDQU 96(SI), Y4
	VPSHUFB Y0, Y1, Y1
	VPSHUFB Y0, Y2, Y2
	VPSHUFB Y0, Y3, Y3
	VPSHUFB Y0, Y4, Y4
	VMOVDQU Y1, (DI)
	VMOVDQU Y2, 32(DI)
	VMOVDQU Y3, 64(DI)
	VMOVDQU Y4, 96(DI)
	ADDQ    $128, SI
	ADDQ    $128, DI
	SUBQ    $128, CX
	JGE     four

rest:
	ADDQ $96, CX
	JLT  last

one:
	VMOVDQU (SI), Y1
	VPSHUFB Y0, Y1, Y1
	VMOVDQU Y1, (DI)
	ADDQ    $32, SI
	ADDQ    $32, DI
	SUBQ    $32, CX
	JGE     one

last:
	VMOVDQU Y5, (R8)
	VZEROUPPER
	RET

short:
	VMOVDQU (SI), X1
	VMOVDQU -16(SI)(CX*1), X2
	VPSHUFB X0, X1, X1
	VPSHUFB X0, X2, X2
	VMOVDQU X1, (DI)
	VMOVDQU X2, -16(DI)(CX*1)
	VZEROUPPER
	RET

// func cpuid(leaf, subleaf uint32) (eax, ebx, ecx, edx uint32)
TEXT ·cpuid(SB), NOSPLIT, $0-24
	MOVL leaf+0(FP), AX
	MOVL subleaf+4(FP), CX
	CPUID
	MOVL AX, eax+8(FP)
	MOVL BX, ebx+12(FP)
	MOVL CX, ecx+16(FP)
	MOVL DX, edx+20(FP)
	RET

// func xgetbv0() (eax, edx uint32)
TEXT ·xgetbv0(SB), NOSPLIT, $0-8
	XORL CX, CX
	XGETBV
	MOVL AX, eax+0(FP)
	MOVL DX, edx+4(FP)
	RET
