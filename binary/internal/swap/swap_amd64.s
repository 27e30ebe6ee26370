//go:build !octet_purego

#include "textflag.h"

// The masks for VPSHUFB: byte i of the result is byte mask[i] of the source,
// within each half of 16 bytes.
DATA reverse16<>+0(SB)/8, $0x0607040502030001
DATA reverse16<>+8(SB)/8, $0x0e0f0c0d0a0b0809
GLOBL reverse16<>(SB), RODATA|NOPTR, $16

DATA reverse32<>+0(SB)/8, $0x0405060700010203
DATA reverse32<>+8(SB)/8, $0x0c0d0e0f08090a0b
GLOBL reverse32<>(SB), RODATA|NOPTR, $16

DATA reverse64<>+0(SB)/8, $0x0001020304050607
DATA reverse64<>+8(SB)/8, $0x08090a0b0c0d0e0f
GLOBL reverse64<>(SB), RODATA|NOPTR, $16

// SHUFFLE copies CX >= 16 bytes from SI to DI through the mask in Y0.
//
// The last vector is read and shuffled before anything is written, and written
// at the end: whatever the loops left over is among it. What is written twice is
// written with the same bytes, since both the beginning and the end are
// multiples of the element; reading first makes that hold when SI and DI are one.
#define SHUFFLE \
	CMPQ    CX, $32 \
	JLT     short \
	VMOVDQU -32(SI)(CX*1), Y5 \
	VPSHUFB Y0, Y5, Y5 \
	LEAQ    -32(DI)(CX*1), R8 \
	SUBQ    $128, CX \
	JLT     singles \
	PCALIGN $32 \
quads: \
	VMOVDQU (SI), Y1 \
	VMOVDQU 32(SI), Y2 \
	VMOVDQU 64(SI), Y3 \
	VMOVDQU 96(SI), Y4 \
	VPSHUFB Y0, Y1, Y1 \
	VPSHUFB Y0, Y2, Y2 \
	VPSHUFB Y0, Y3, Y3 \
	VPSHUFB Y0, Y4, Y4 \
	VMOVDQU Y1, (DI) \
	VMOVDQU Y2, 32(DI) \
	VMOVDQU Y3, 64(DI) \
	VMOVDQU Y4, 96(DI) \
	ADDQ    $128, SI \
	ADDQ    $128, DI \
	SUBQ    $128, CX \
	JGE     quads \
singles: \
	ADDQ    $96, CX \
	JLT     last \
single: \
	VMOVDQU (SI), Y1 \
	VPSHUFB Y0, Y1, Y1 \
	VMOVDQU Y1, (DI) \
	ADDQ    $32, SI \
	ADDQ    $32, DI \
	SUBQ    $32, CX \
	JGE     single \
last: \
	VMOVDQU Y5, (R8) \
	VZEROUPPER \
	RET \
short: \
	VMOVDQU -16(SI)(CX*1), X2 \
	VMOVDQU (SI), X1 \
	VPSHUFB X0, X1, X1 \
	VPSHUFB X0, X2, X2 \
	VMOVDQU X1, (DI) \
	VMOVDQU X2, -16(DI)(CX*1) \
	VZEROUPPER \
	RET

// func shuffle16avx2(dst, src *byte, n int)
TEXT ·shuffle16avx2(SB), NOSPLIT, $0-24
	MOVQ           dst+0(FP), DI
	MOVQ           src+8(FP), SI
	MOVQ           n+16(FP), CX
	VBROADCASTI128 reverse16<>(SB), Y0
	SHUFFLE

// func shuffle32avx2(dst, src *byte, n int)
TEXT ·shuffle32avx2(SB), NOSPLIT, $0-24
	MOVQ           dst+0(FP), DI
	MOVQ           src+8(FP), SI
	MOVQ           n+16(FP), CX
	VBROADCASTI128 reverse32<>(SB), Y0
	SHUFFLE

// func shuffle64avx2(dst, src *byte, n int)
TEXT ·shuffle64avx2(SB), NOSPLIT, $0-24
	MOVQ           dst+0(FP), DI
	MOVQ           src+8(FP), SI
	MOVQ           n+16(FP), CX
	VBROADCASTI128 reverse64<>(SB), Y0
	SHUFFLE

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
