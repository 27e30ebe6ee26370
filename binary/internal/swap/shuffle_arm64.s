//go:build !octet_purego

#include "textflag.h"

// The masks for VTBL, at 8 times the element's size: byte i of the result is byte
// mask[i] of the source.
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
TEXT ·shuffle(SB), NOSPLIT, $0-32
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	MOVD size+24(FP), R3
	MOVD $masks<>(SB), R4
	ADD  R3<<3, R4, R4
	VLD1 (R4), [V31.B16]
	SUB  $16, R2, R5
	ADD  R5, R1, R6
	ADD  R5, R0, R7
	VLD1 (R6), [V4.B16]
	VTBL V31.B16, [V4.B16], V4.B16
	SUBS $64, R2
	BLT  rest

four:
	VLD1.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16]
	VTBL   V31.B16, [V0.B16], V0.B16
	VTBL   V31.B16, [V1.B16], V1.B16
	VTBL   V31.B16, [V2.B16], V2.B16
	VTBL   V31.B16, [V3.B16], V3.B16
	VST1.P [V0.B16, V1.B16, V2.B16, V3.B16], 64(R0)
	SUBS   $64, R2
	BGE    four

rest:
	ADDS $48, R2
	BLT  last

one:
	VLD1.P 16(R1), [V0.B16]
	VTBL   V31.B16, [V0.B16], V0.B16
	VST1.P [V0.B16], 16(R0)
	SUBS   $16, R2
	BGE    one

last:
	VST1 [V4.B16], (R7)
	RET
