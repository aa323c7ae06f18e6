//go:build ignore

// Generate writes web/mermaid.js.gz and web/mermaid.LICENSE.txt from the npm package mermaid, whose
// build for browsers is one file with all the packages that it needs:
//
//	go run generate.go 12.3.0
//
// Its source map lists the packages. Their licences are in the packages, which npm downloads.
package main

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// built lists packages whose files contain code of others that a source map does not name: they were
// built into one file before. The versions are those that their package.json asks for. A new version
// of a package needs another look; nil says that somebody has looked and found nothing.
var built = map[string][]string{
	"cytoscape@3.34.0":              {"heap@0.2.7", "lodash@4.17.21", "gl-matrix@3.4.3", "@babel/helpers@7.28.6"},
	"cytoscape-cose-bilkent@4.1.0":  nil,
	"cytoscape-fcose@2.2.0":         nil,
	"cose-base@1.0.3":               nil,
	"cose-base@2.2.0":               nil,
	"dayjs@1.11.21":                 nil,
	"dompurify@3.4.17":              {"@babel/helpers@7.28.6"},
	"elkjs@0.12.0":                  {"web-worker@1.4.1", "browser-pack@6.1.0", "@babel/helpers@7.28.6"},
	"katex@0.18.11":                 nil,
	"khroma@2.1.0":                  nil,
	"layout-base@1.0.2":             nil,
	"layout-base@2.0.1":             {"@babel/helpers@7.28.6"},
	"roughjs@4.6.6":                 {"hachure-fill@0.5.2", "path-data-parser@0.1.0", "points-on-curve@0.2.0", "points-on-path@0.2.1"},
	"vscode-uri@3.1.0":              {"path-browserify@1.0.1"},
	"@upsetjs/venn.js@2.0.0":        {"fmin@0.0.4"},
	"@mermaid-js/parser@2.0.1":      {"vscode-uri@3.1.0"}, // the others are in its source maps
	"dagre-d3-es@7.0.14":            nil,
	"chevrotain-allstar@0.5.0":      nil,
	"@braintree/sanitize-url@7.1.2": nil,
	"marked@16.3.0":                 nil,
}

// notes are what the licences of packages ask to be written, and what their own files do not say.
var notes = map[string]string{
	"elkjs": "Used under the Eclipse Public License 2.0. Its source code is available at https://github.com/kieler/elkjs,\n" +
		"that of the Eclipse Layout Kernel, from which it is translated, at https://github.com/eclipse/elk.\n" +
		"It contains, translated to JavaScript as well: parts of the Eclipse Modeling Framework and of Xtext,\n" +
		"under the Eclipse Public License 2.0; of the Google Web Toolkit and of Guava, Copyright Google Inc.,\n" +
		"under the Apache License 2.0, whose text is below, at web-worker.",
	"dompurify": "Used under the Apache License 2.0.",
	"layout-base": "Version 2.0.1 contains a singular value decomposition adopted from JamaJS\n" +
		"(https://github.com/dragonfly-ai/JamaJS), under the Apache License 2.0, whose text is below, at web-worker.",
}

type packageFiles struct {
	version, license, repository string
	files                        map[string][]byte // by path
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: go run generate.go VERSION")
	}
	dir, err := os.MkdirTemp("", "licences")
	check(err)
	defer os.RemoveAll(dir)
	all := map[string]packageFiles{} // by name@version
	root := "mermaid@" + os.Args[1]
	main := load(dir, root)
	all[root] = main
	script := main.files["dist/mermaid.min.js"]
	own := regexp.MustCompile(`/mermaid-parser\.core(/[^/]*)?\.mjs\.map$`) // what mermaid takes of its parser
	queue := mapped(main.files["dist/mermaid.min.js.map"])
	parser := "@mermaid-js/parser@" + versionOf(main, "@mermaid-js/parser")
	queue = append(queue, parser)
	for ; len(queue) > 0; queue = queue[1:] {
		id := queue[0]
		if _, ok := all[id]; ok {
			continue
		}
		p := load(dir, id)
		all[id] = p
		queue = append(queue, built[id]...)
		if id != parser {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(p.files)) {
			if own.MatchString("/" + name) {
				queue = append(queue, mapped(p.files[name])...)
			}
		}
	}
	write(os.Args[1], script, all)
}

// mapped returns the packages in a source map.
func mapped(b []byte) (ids []string) {
	var m struct{ Sources []string }
	check(json.Unmarshal(b, &m))
	// A path is .pnpm/@scope+name@version_peers/node_modules/@scope/name/file.
	in := regexp.MustCompile(`\.pnpm/@?[^/@]+@([0-9][^/_]*)(?:_[^/]*)?/node_modules/((?:@[^/]+/)?[^/]+)/`)
	for _, s := range m.Sources {
		f := in.FindStringSubmatch(s)
		if f == nil {
			if strings.Contains(s, "node_modules/") && !strings.HasPrefix(s, "webpack://LIB/") { // of vscode-uri
				log.Fatalf("unknown source %s", s)
			}
			continue
		}
		id := f[2] + "@" + f[1]
		if regexp.MustCompile(`/(dist|build|bundled)/[^/]+\.m?js$`).MatchString(s) {
			if _, looked := built[id]; !looked {
				log.Printf("look what %s contains, and add it to the list", s)
			}
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// versionOf returns the version of a dependency without the operator before it.
func versionOf(p packageFiles, name string) string {
	var j struct{ Dependencies map[string]string }
	check(json.Unmarshal(p.files["package.json"], &j))
	return strings.TrimLeft(j.Dependencies[name], "^~")
}

// load downloads a package.
func load(dir, id string) packageFiles {
	cmd := exec.Command("npm", "pack", "--silent", id)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		log.Fatalf("npm pack %s: %v", id, err)
	}
	f, err := os.Open(filepath.Join(dir, strings.TrimSpace(string(out))))
	check(err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	check(err)
	p := packageFiles{files: map[string][]byte{}}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		check(err)
		_, name, _ := strings.Cut(h.Name, "/")
		if p.files[name], err = io.ReadAll(r); err != nil {
			log.Fatal(err)
		}
	}
	var j struct {
		Version    string
		License    string
		Repository any
	}
	check(json.Unmarshal(p.files["package.json"], &j))
	p.version, p.license = j.Version, j.License
	switch r := j.Repository.(type) {
	case string:
		p.repository = r
	case map[string]any:
		p.repository, _ = r["url"].(string)
	}
	return p
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[sc]e|copying|notice|third-?party-?notices)([.-][a-z]+)?$`)

// texts returns the licences and notices of a package.
func texts(id string, p packageFiles) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(p.files)) {
		if licenceFile.MatchString(name) && !slices.Contains([]string{".js", ".mjs", ".ts"}, path.Ext(name)) {
			all = append(all, tidy(p.files[name]))
		}
	}
	if len(all) == 0 { // fastdom has it in its README
		if _, text, ok := strings.Cut(string(p.files["README.md"]), "\n## License\n"); ok && strings.Contains(text, "Copyright") {
			all = append(all, tidy([]byte(text)))
		}
	}
	if len(all) == 0 {
		log.Fatalf("%s has no licence", id)
	}
	return strings.Join(all, "\n\n")
}

// tidy returns a text with line ends and spaces as other files of the project have them.
func tidy(b []byte) string {
	lines := strings.Split(strings.ReplaceAll(string(bytes.TrimPrefix(b, []byte("\ufeff"))), "\r\n", "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \t\f")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// write writes the script, and the licences. Packages with the same licence share one text.
func write(version string, script []byte, all map[string]packageFiles) {
	pack := exec.Command("gzip", "-9n") // packs better than compress/gzip
	pack.Stdin, pack.Stderr = bytes.NewReader(script), os.Stderr
	packed, err := pack.Output()
	check(err)
	check(os.WriteFile("web/mermaid.js.gz", packed, 0o644))

	ids := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		return cmp.Or(-cmp.Compare(btoi(strings.HasPrefix(a, "mermaid@")), btoi(strings.HasPrefix(b, "mermaid@"))), strings.Compare(a, b))
	})
	byText, order := map[string][]string{}, []string{}
	for _, id := range ids {
		t := texts(id, all[id])
		if byText[t] == nil {
			order = append(order, t)
		}
		byText[t] = append(byText[t], id)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "The script that draws diagrams is dist/mermaid.min.js of the npm package mermaid %s,\nunchanged (sha256 %x).\n"+
		"It contains the packages below, each with its licence. This file is written by internal/site/theme/generate.go.\n", version, sha256.Sum256(script))
	for _, t := range order {
		out.WriteString("\n" + strings.Repeat("=", 80) + "\n")
		for _, id := range byText[t] {
			p := all[id]
			name := strings.TrimSuffix(id, "@"+p.version)
			fmt.Fprintf(&out, "%s %s (%s) %s\n", name, p.version, cmp.Or(p.license, "MIT"), strings.TrimPrefix(p.repository, "git+"))
			if n := notes[name]; n != "" && !strings.Contains(out.String(), n) {
				out.WriteString(n + "\n")
			}
		}
		out.WriteString("\n" + t + "\n")
	}
	if i := bytes.LastIndex(script, []byte("/*! Bundled license information:")); i >= 0 {
		end := bytes.Index(script[i:], []byte("\n*/"))
		out.WriteString("\n" + strings.Repeat("=", 80) + "\nNotices inside of the script. Those that name the MIT License mean the text that mermaid has, with their own copyright.\n\n" + tidy(script[i+4:i+end]) + "\n")
	}
	check(os.WriteFile("web/mermaid.LICENSE.txt", []byte(out.String()), 0o644))
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
