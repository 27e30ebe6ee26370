//go:build go1.26 && !go1.28 && !octet_purego && !plan9

#include "textflag.h"

// func ReturnAddresses(to *[32]uintptr) int
//
// See frames_amd64.s.
TEXT ·ReturnAddresses(SB), NOSPLIT, $0-16
	MOVD to+0(FP), R0
	MOVD 0(g), R9
	MOVD 8(g), R10
	SUB  $16, R10
	MOVD R29, R3
	MOVD $0, R4

next:
	CMP  $32, R4
	BGE  done
	CMP  R9, R3
	BLO  done
	CMP  R10, R3
	BHI  done
	MOVD 8(R3), R5
	MOVD R5, (R0)(R4<<3)
	ADD  $1, R4
	MOVD 0(R3), R3
	B    next

done:
	MOVD R4, ret+8(FP)
	RET
