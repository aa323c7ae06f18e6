//go:build ignore

// Generate copies the files of the fonts from a folder of npm packages, and lists
// them in fonts.json:
//
//	go run generate.go node_modules
package main

import (
	"encoding/json"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// families are the names of fonts that customizations have, and their packages.
var families = map[string]string{
	"Inter": "@fontsource-variable/inter", "Roboto": "@fontsource-variable/roboto", "RobotoSlab": "@fontsource-variable/roboto-slab",
	"OpenSans": "@fontsource-variable/open-sans", "SourceSansPro": "@fontsource-variable/source-sans-3", "Lato": "@fontsource/lato",
	"Ubuntu": "@fontsource/ubuntu", "Raleway": "@fontsource-variable/raleway", "Merriweather": "@fontsource-variable/merriweather",
	"Overpass": "@fontsource-variable/overpass", "NotoSans": "@fontsource-variable/noto-sans", "IBMPlexSerif": "@fontsource/ibm-plex-serif",
	"Poppins": "@fontsource/poppins", "FiraSans": "@fontsource/fira-sans",
	"FiraCode": "@fontsource-variable/fira-code", "IBMPlexMono": "@fontsource/ibm-plex-mono", "JetBrainsMono": "@fontsource-variable/jetbrains-mono",
	"SourceCodePro": "@fontsource-variable/source-code-pro", "RobotoMono": "@fontsource-variable/roboto-mono", "SpaceMono": "@fontsource/space-mono",
	"DMMono": "@fontsource/dm-mono", "Inconsolata": "@fontsource-variable/inconsolata",
}

// sheets are the style sheets of a package that has a file for each weight.
var sheets = []string{"400.css", "700.css"}

var face = regexp.MustCompile(`(?s)/\* [a-z0-9-]+?-(latin|latin-ext|cyrillic|greek|vietnamese)-(?:wght|[47]00)-normal \*/\s*@font-face \{.*?font-weight: ([0-9 ]+);.*?url\(\./files/([a-z0-9-]+\.woff2)\).*?unicode-range: ([^;]+);`)

type file struct {
	Name    string `json:"name"`
	Weights string `json:"weights"`
	Range   string `json:"range"`
}

func main() {
	out := map[string][]file{}
	for family, from := range families {
		dir := filepath.Join(os.Args[1], filepath.FromSlash(from))
		list := sheets
		if strings.HasPrefix(from, "@fontsource-variable/") {
			list = []string{"index.css"}
		}
		for _, sheet := range list {
			css, err := os.ReadFile(filepath.Join(dir, sheet))
			if os.IsNotExist(err) { // not every font has every weight
				continue
			}
			check(err)
			for _, m := range face.FindAllStringSubmatch(string(css), -1) {
				b, err := os.ReadFile(filepath.Join(dir, "files", m[3]))
				check(err)
				check(os.WriteFile(filepath.Join("files", m[3]), b, 0o644))
				out[family] = append(out[family], file{m[3], m[2], m[4]})
			}
		}
		licence, err := os.ReadFile(filepath.Join(dir, "LICENSE"))
		check(err)
		check(os.WriteFile(filepath.Join("files", filepath.Base(from)+".LICENSE"), licence, 0o644))
	}
	b, err := json.MarshalIndent(out, "", "\t")
	check(err)
	check(os.WriteFile("fonts.json", append(b, '\n'), 0o644))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
