//go:build !octet_purego

#include "textflag.h"

// REVERSE copies R2 >= 16 bytes from R1 to R0, reversing by the instruction REV.
//
// The last 16 bytes are read and reversed before anything is written, and
// written at the end: whatever the loops left over is among them. What is
// written twice is written with the same bytes, since both the beginning and
// the end are multiples of the element; reading first makes that hold when R0
// and R1 are one.
#define REVERSE(REV) \
	ADD    R2, R1, R3 \
	SUB    $16, R3 \
	VLD1   (R3), [V4.B16] \
	REV    V4.B16, V4.B16 \
	ADD    R2, R0, R4 \
	SUB    $16, R4 \
	SUBS   $64, R2 \
	BLT    singles \
quads: \
	VLD1.P 64(R1), [V0.B16, V1.B16, V2.B16, V3.B16] \
	REV    V0.B16, V0.B16 \
	REV    V1.B16, V1.B16 \
	REV    V2.B16, V2.B16 \
	REV    V3.B16, V3.B16 \
	VST1.P [V0.B16, V1.B16, V2.B16, V3.B16], 64(R0) \
	SUBS   $64, R2 \
	BGE    quads \
singles: \
	ADDS   $48, R2 \
	BLT    last \
single: \
	VLD1.P 16(R1), [V0.B16] \
	REV    V0.B16, V0.B16 \
	VST1.P [V0.B16], 16(R0) \
	SUBS   $16, R2 \
	BGE    single \
last: \
	VST1   [V4.B16], (R4) \
	RET

// func rev16neon(dst, src *byte, n int)
TEXT ·rev16neon(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	REVERSE(VREV16)

// func rev32neon(dst, src *byte, n int)
TEXT ·rev32neon(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	REVERSE(VREV32)

// func rev64neon(dst, src *byte, n int)
TEXT ·rev64neon(SB), NOSPLIT, $0-24
	MOVD dst+0(FP), R0
	MOVD src+8(FP), R1
	MOVD n+16(FP), R2
	REVERSE(VREV64)
