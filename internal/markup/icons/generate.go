//go:build ignore

// Generate writes icons.tsv.gz from a folder that has the npm package
// @fortawesome/fontawesome-free:
//
//	go run generate.go node_modules/@fortawesome/fontawesome-free
package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

type drawing struct {
	ViewBox [4]int `json:"viewBox"`
	Path    string `json:"path"`
}

type icon struct {
	Aliases struct {
		Names []string `json:"names"`
	} `json:"aliases"`
	Search struct {
		Terms []string `json:"terms"`
	} `json:"search"`
	Svgs struct {
		Classic map[string]drawing `json:"classic"`
	} `json:"svgs"`
}

func main() {
	b, err := os.ReadFile(filepath.Join(os.Args[1], "metadata", "icon-families.json"))
	if err != nil {
		log.Fatal(err)
	}
	var all map[string]icon
	if err := json.Unmarshal(b, &all); err != nil {
		log.Fatal(err)
	}
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		i := all[name]
		filled, ok := i.Svgs.Classic["solid"]
		brand, isBrand := i.Svgs.Classic["brands"]
		if !ok {
			filled = brand
		}
		outlined := i.Svgs.Classic["regular"]
		if filled.Path == "" {
			filled = outlined
		}
		words := slices.Compact(slices.Sorted(slices.Values(strings.Fields(strings.ToLower(strings.Join(i.Search.Terms, " "))))))
		if isBrand {
			words = []string{"-"} // is found by its names only
		}
		fmt.Fprintf(z, "%s\t%s\t%s\t%s\t%s\n", name, strings.Join(i.Aliases.Names, " "), strings.Join(words, " "), line(filled), line(outlined))
	}
	if err := cmp.Or(z.Close(), os.WriteFile("icons.tsv.gz", out.Bytes(), 0o644)); err != nil {
		log.Fatal(err)
	}
}

// line returns the size of a drawing and its path.
func line(d drawing) string {
	if d.Path == "" {
		return ""
	}
	return fmt.Sprintf("%d %d %s", d.ViewBox[2], d.ViewBox[3], d.Path)
}
