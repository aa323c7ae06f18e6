//go:build ignore

// Generate writes fonts.zip from a directory with the fonts of the npm package katex:
//
//	go run generate.go node_modules/katex/dist/fonts
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
	"strings"
)

func main() {
	files, err := filepath.Glob(filepath.Join(os.Args[1], "KaTeX_*.ttf"))
	if err != nil || len(files) == 0 {
		log.Fatal("no fonts: ", err)
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			log.Fatal(err)
		}
		w, err := z.Create(strings.TrimPrefix(filepath.Base(file), "KaTeX_"))
		if err == nil {
			_, err = w.Write(b)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
	if err := cmp.Or(z.Close(), os.WriteFile("fonts.zip", out.Bytes(), 0o644)); err != nil {
		log.Fatal(err)
	}
}
