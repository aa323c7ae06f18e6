//go:build ignore

// Generate writes emoji.tsv.gz from a folder that has the npm package @twemoji/svg:
//
//	go run generate.go node_modules/@twemoji/svg
package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

var (
	tone   = regexp.MustCompile(`-1f3f[b-f]`)
	outer  = regexp.MustCompile(`^<svg[^>]*viewBox="0 0 36 36"[^>]*>(.*)</svg>$`)
	number = regexp.MustCompile(`\d*\.\d{3,}`)
)

func main() {
	files, err := filepath.Glob(filepath.Join(os.Args[1], "*.svg"))
	if err != nil {
		log.Fatal(err)
	}
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
	for _, file := range files {
		code := strings.TrimSuffix(filepath.Base(file), ".svg")
		if tone.MatchString(code) {
			continue // the same drawing in other colours
		}
		b, err := os.ReadFile(file)
		if err != nil {
			log.Fatal(err)
		}
		m := outer.FindSubmatch(bytes.TrimSpace(b))
		if m == nil || bytes.ContainsAny(m[1], "\t\n") {
			log.Fatalf("%s has another form", file)
		}
		fmt.Fprintf(z, "%s\t%s\n", code, number.ReplaceAllFunc(m[1], rounded))
	}
	if err := cmp.Or(z.Close(), os.WriteFile("emoji.tsv.gz", out.Bytes(), 0o644)); err != nil {
		log.Fatal(err)
	}
}

// rounded leaves two places of a number at most, which in a box of 36 are enough for
// a poster. A point stays where it was: the numbers around may begin and end there.
func rounded(b []byte) []byte {
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		log.Fatal(err)
	}
	if b[0] == '.' {
		f = min(f, 0.99)
	}
	out := strconv.FormatFloat(f, 'f', 2, 64)
	if b[0] == '.' {
		out = strings.TrimPrefix(out, "0")
	}
	return []byte(strings.TrimSuffix(out, "0"))
}
