// Package packed unpacks what the program carries compressed.
package packed

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
)

// Unpack returns the bytes that a file of the program has without gzip. It panics
// on a broken one, which only a broken program has.
func Unpack(b []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err == nil {
		b, err = io.ReadAll(z)
	}
	if err != nil {
		panic(fmt.Errorf("a file of the program: %w", err))
	}
	return b
}
