package octavo_test

import (
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// licences are the files with the licences of what was not written here, by the file that contains it,
// and what each must contain.
var licences = map[string][]string{
	"internal/print/formula/fonts.zip":                            {"internal/print/formula/LICENSE", "Design Science", ofl},
	"internal/print/formula/katex.js.gz":                          {"internal/print/formula/LICENSE", "Khan Academy", mit},
	"internal/markup/icons/icons.tsv.gz":                          {"internal/markup/icons/LICENSE", "Fonticons", ccBy},
	"internal/site/theme/fonts/files/stix-two-math-core.woff2":    {mathLicence, "STIX", ofl},
	"internal/site/theme/fonts/files/stix-two-math-letters.woff2": {mathLicence, "STIX", ofl},
	"internal/site/theme/fonts/files/stix-two-math-signs.woff2":   {mathLicence, "STIX", ofl},
	"internal/site/theme/web/mermaid.js.gz":                       {"internal/site/theme/web/mermaid.LICENSE.txt", "Knut Sveidqvist", mit}, // its packages: internal/site/theme/licences_test.go
	"internal/print/pdf/twemoji/emoji.tsv.gz":                     {"internal/print/pdf/twemoji/LICENSE", "jdecked", ccBy},
	"internal/print/typeface/scripts/fonts.zip":                   {"internal/print/typeface/scripts/LICENSE", "Google", ofl},
}

const (
	mit  = "The above copyright notice and this permission notice shall be included"
	ofl  = "DISCLAIMER\nTHE FONT SOFTWARE IS PROVIDED"
	ccBy = "Section 8 -- Interpretation."

	mathLicence = "internal/site/theme/fonts/files/stix-two-math.LICENSE"
)

// Licences ask that their text goes with what they are for. A name or an address is not enough.
func TestLicencesAreComplete(t *testing.T) {
	packedFile := regexp.MustCompile(`\.(gz|zip|tgz|br|zst|woff2?|ttf|otf|wasm|min\.js)$`)
	font := regexp.MustCompile(`^(internal/site/theme/fonts/files/.*?)-(?:latin|latin-ext|cyrillic|greek|vietnamese)-.*\.woff2$`)
	found := map[string]bool{}
	err := eachFile(func(file string) error {
		if !packedFile.MatchString(file) {
			return nil
		}
		want := licences[file]
		if m := font.FindStringSubmatch(file); m != nil {
			want = []string{m[1] + ".LICENSE"}
		}
		if want == nil {
			t.Errorf("%s: whose is it? Add its licence to the list", file)
			return nil
		}
		found[file] = true
		b, err := os.ReadFile(want[0])
		text := strings.ReplaceAll(string(b), "–", "--")
		for _, s := range want[1:] {
			if !strings.Contains(text, s) {
				t.Errorf("%s lacks %q, for %s", want[0], s, path.Base(file))
			}
		}
		if len(want) == 1 && !regexp.MustCompile(`THE FONT SOFTWARE IS\s+PROVIDED|END OF TERMS AND CONDITIONS`).MatchString(text) {
			t.Errorf("%s is not complete", want[0])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for file := range licences {
		if !found[file] {
			t.Errorf("%s is not there any more", file)
		}
	}
}
