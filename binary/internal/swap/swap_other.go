//go:build !(amd64 || arm64) || octet_purego

package swap

func copy16(dst, src []byte) { loop16(dst, src) }
func copy32(dst, src []byte) { loop32(dst, src) }
func copy64(dst, src []byte) { loop64(dst, src) }
