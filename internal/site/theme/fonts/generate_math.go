//go:build ignore

// Generate writes the files of the font of formulas, which are parts of STIX Two Math, and its
// licence. The font comes from an npm package, and fonttools (python3-fonttools and python3-brotli
// of Debian) takes the parts:
//
//	go run generate_math.go 5.3.0
//
// A part keeps the table MATH, and with each character its larger forms and the pieces of which
// still larger ones are made.
package main

import (
	"bytes"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// take writes a part of a font. The features are those that browsers use in formulas: forms for
// scripts, dotless forms below accents, and flat accents over capital letters.
//
// Two things of the font are mended. Arrows to the right have the lengths of their connectors at the
// wrong ends, so that no browser joins their pieces. And the tilde that browsers stretch, which is
// not the combining one, has no larger forms.
const take = `
import sys
from copy import deepcopy
from fontTools import subset
from fontTools.ttLib import TTFont

source, target, characters = sys.argv[1:]
font = TTFont(source)
variants = font["MATH"].table.MathVariants
for construction in variants.HorizGlyphConstruction:
    parts = construction.GlyphAssembly.PartRecords if construction.GlyphAssembly else []
    for before, part in zip(parts, parts[1:]):
        if min(before.EndConnectorLength, part.StartConnectorLength) < variants.MinConnectorOverlap <= part.EndConnectorLength:
            part.StartConnectorLength, part.EndConnectorLength = part.EndConnectorLength, part.StartConnectorLength
names = font.getBestCmap()
tilde, combining = names[0x2DC], names[0x303]
forms = dict(zip(variants.HorizGlyphCoverage.glyphs, variants.HorizGlyphConstruction))
forms[tilde] = deepcopy(forms[combining])
forms[tilde].MathGlyphVariantRecord[0].VariantGlyph = tilde
order = sorted(forms, key=font.getGlyphID)
variants.HorizGlyphCoverage.glyphs = order
variants.HorizGlyphConstruction = [forms[name] for name in order]
variants.HorizGlyphCount = len(order)

options = subset.Options(layout_features=["ssty", "dtls", "flac", "ccmp", "mark", "mkmk"], flavor="woff2", hinting=False, notdef_outline=True, name_IDs=[0, 1, 2, 3, 4, 5, 6, 13, 14])
part = subset.Subsetter(options)
part.populate(unicodes=subset.parse_unicodes(characters))
part.subset(font)
subset.save_font(font, target, options)
`

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: go run generate_math.go VERSION")
	}
	dir, err := os.MkdirTemp("", "font")
	check(err)
	defer os.RemoveAll(dir)
	pack := exec.Command("npm", "pack", "--silent", "@fontsource/stix-two-math@"+os.Args[1])
	pack.Dir, pack.Stderr = dir, os.Stderr
	name, err := pack.Output()
	check(err)
	check(exec.Command("tar", "-xzf", filepath.Join(dir, strings.TrimSpace(string(name))), "-C", dir).Run())
	licence, err := os.ReadFile(filepath.Join(dir, "package", "LICENSE"))
	check(err)
	check(os.WriteFile("files/stix-two-math.LICENSE", licence, 0o644))

	list, err := os.ReadFile("math.go")
	check(err)
	for part, constant := range map[string]string{"core": "mathCore", "letters": "mathLetters", "signs": "mathSigns"} {
		found := regexp.MustCompile(`(?s)` + constant + `\s+= (".*?")\n(?:\t[a-z]|\)|$)`).FindSubmatch(list)
		if found == nil {
			log.Fatalf("math.go has no %s", constant)
		}
		characters := regexp.MustCompile(`[U+0-9A-F,-]{6,}`).FindAll(found[1], -1)
		subset := exec.Command("python3", "-c", take, filepath.Join(dir, "package", "files", "stix-two-math-latin-400-normal.woff2"), "files/stix-two-math-"+part+".woff2", string(bytes.Join(characters, nil)))
		subset.Stdout, subset.Stderr = os.Stderr, os.Stderr
		check(subset.Run())
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
