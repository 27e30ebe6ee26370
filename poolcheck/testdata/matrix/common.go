// Package matrix has what the programs of TestMatrix are made of.
package matrix

var errBad = errors.New("bad")

func check(p []byte) error {
	if len(p) > 9 {
		return errBad
	}
	return nil
}
