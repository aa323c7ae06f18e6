//go:build ignore

// Generate writes scripts/fonts.zip from a folder that has the fonts of Debian's package
// fonts-noto-core:
//
//	go run generate.go /usr/share/fonts/truetype/noto
package main

import (
	"archive/zip"
	"bytes"
	"cmp"
	"compress/flate"
	"io"
	"log"
	"os"
	"path/filepath"
)

func main() {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	for _, script := range []string{"Devanagari", "Bengali", "Tamil", "Thai"} {
		name := "NotoSans" + script + "-Regular.ttf"
		b, err := os.ReadFile(filepath.Join(os.Args[1], name))
		if err != nil {
			log.Fatal(err)
		}
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(b)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
	if err := cmp.Or(z.Close(), os.WriteFile("scripts/fonts.zip", out.Bytes(), 0o644)); err != nil {
		log.Fatal(err)
	}
}
