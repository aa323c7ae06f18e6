package theme

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// licenceOf returns the packages that the licences name, and the text that follows each.
func licenceOf(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	named := regexp.MustCompile(`(?m)^((?:@[a-z.-]+/)?[a-z0-9.-]+) ([0-9]+\.[0-9]+\.[0-9]+) \(`)
	for _, part := range strings.Split(string(licences.Data), "\n"+strings.Repeat("=", 80)+"\n")[1:] {
		head, text, _ := strings.Cut(part, "\n\n")
		for _, m := range named.FindAllStringSubmatch(head, -1) {
			out[m[1]+"@"+m[2]] = text
		}
	}
	return out
}

// The script that draws diagrams is many packages in one file. The licence of each goes with it.
func TestLicencesOfDiagrams(t *testing.T) {
	if sum := fmt.Sprintf("(sha256 %x)", sha256.Sum256(mermaid.Bytes())); !strings.Contains(string(licences.Data), sum) {
		t.Fatalf("the licences are those of another script, not of %s: run generate.go", sum)
	}
	have := licenceOf(t)
	if len(have) < 80 {
		t.Errorf("%d packages have a licence", len(have))
	}
	grant := regexp.MustCompile(`(?i)permission is hereby granted|permission to use, copy, modify|redistribution and use in source|eclipse public license - v 2\.0|terms and conditions for use, reproduction, and distribution`)
	for id, text := range have {
		if len(text) < 500 || !grant.MatchString(text) {
			t.Errorf("%s has no complete licence: %.200s", id, text)
		}
	}
	// What the script names itself, and what its packages were built with.
	for _, want := range []string{
		"mermaid", "dompurify", "lodash-es", "cytoscape", "d3", "elkjs", "katex", "langium", "chevrotain", "roughjs", "hachure-fill", "points-on-curve", "fmin", "heap", "vscode-uri", "path-browserify", "web-worker", "marked", "js-yaml", "fastdom",
	} {
		found := false
		for id := range have {
			found = found || strings.HasPrefix(id, want+"@")
		}
		if !found {
			t.Errorf("%s has no licence", want)
		}
	}
	w := httptest.NewRecorder()
	if !Serve(w, httptest.NewRequest("GET", "/", nil), licences.Name) || w.Body.Len() != len(licences.Data) {
		t.Error("the licences are not served")
	}
	if !strings.Contains(string(Diagrams.Data), `<link rel="license" href="`+licences.Name+`">`) {
		t.Errorf("the document that loads the script does not name its licences: %s", Diagrams.Data)
	}
}

// OCTAVO_TEST_MERMAID is a folder with the npm package mermaid, whose source map lists all packages.
func TestLicencesOfTheSourceMap(t *testing.T) {
	dir := os.Getenv("OCTAVO_TEST_MERMAID")
	if dir == "" {
		t.Skip("OCTAVO_TEST_MERMAID is not set")
	}
	b, err := os.ReadFile(filepath.Join(dir, "dist", "mermaid.min.js.map"))
	if err != nil {
		t.Fatal(err)
	}
	var m struct{ Sources []string }
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	have, seen := licenceOf(t), map[string]bool{}
	for _, s := range m.Sources {
		i := strings.LastIndex(s, "node_modules/")
		if i < 0 {
			continue
		}
		parts := strings.Split(s[i+len("node_modules/"):], "/")
		name := parts[0]
		if strings.HasPrefix(name, "@") {
			name += "/" + parts[1]
		}
		_, version, _ := strings.Cut(s, ".pnpm/"+strings.ReplaceAll(name, "/", "+")+"@")
		version = version[:strings.IndexAny(version, "_/")]
		if id := name + "@" + version; !seen[id] && have[id] == "" {
			t.Errorf("%s has no licence", id)
		}
		seen[name+"@"+version] = true
	}
	if len(seen) < 60 {
		t.Errorf("the source map has %d packages", len(seen))
	}
}
