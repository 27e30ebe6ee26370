//go:build go1.26 && !go1.28 && !octet_purego && !plan9

#include "textflag.h"

// func ReturnAddresses(to *[32]uintptr) int
//
// It follows the frame pointers, which the compiler always keeps on this
// processor: each points at the caller's, and behind it lies the address of
// return. A pointer outside of the goroutine's stack ends the walk: the outermost
// one is 0, and code in C may leave anything.
TEXT ·ReturnAddresses(SB), NOSPLIT, $0-16
	MOVQ to+0(FP), DI
	MOVQ TLS, R8
	MOVQ 0(R8)(TLS*1), R8 // g, which begins with its stack's bounds
	MOVQ 0(R8), R9
	MOVQ 8(R8), R10
	SUBQ $16, R10
	MOVQ BP, SI
	XORL AX, AX

next:
	CMPQ AX, $32
	JGE  done
	CMPQ SI, R9
	JB   done
	CMPQ SI, R10
	JA   done
	MOVQ 8(SI), DX
	MOVQ DX, (DI)(AX*8)
	INCQ AX
	MOVQ 0(SI), SI
	JMP  next

done:
	MOVQ AX, ret+8(FP)
	RET
