package folder

import (
	"bytes"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/octavo-docs/octavo/internal/names"
)

// Named are the files and folders below the root that SUMMARY.md names although
// their name begins with a dot. Read does not skip them, nor what is in these
// folders. The zero value names none.
type Named map[string]bool // paths; those of folders end with a slash

// dotName is how a source begins that may name such a file.
var dotName = regexp.MustCompile(`(?:[(/<]|%2[Ff])(?:\.|%2[Ee])[^./]`)

// NamedBy returns what a SUMMARY.md at a path below the root names.
func NamedBy(summary string, src []byte) Named {
	if !dotName.Match(src) {
		return nil
	}
	entries, err := parseSummary(src, DefaultLimits, func(int, string, string, ...any) {})
	if err != nil {
		return nil // whoever reads the file reports it
	}
	out := Named{}
	for _, e := range entries {
		if target, ok := e.target(path.Dir(summary)); ok {
			for _, name := range candidates(target) {
				if isMarkdown(name) { // other files are no pages
					out.add(name)
				}
			}
		}
	}
	return out
}

// add adds the hidden parts of a path.
func (n Named) add(name string) {
	for at := range hiddenParts(name) {
		n[at] = true
	}
}

// hiddenParts yields the beginnings of the path of a file that end with a name
// that begins with a dot, other than .gitbook. Those of folders end with a slash.
func hiddenParts(name string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		at := 0
		for at < len(name) {
			end := len(name)
			if i := strings.IndexByte(name[at:], '/'); i >= 0 {
				end = at + i + 1
			}
			part := strings.TrimSuffix(name[at:end], "/")
			if strings.HasPrefix(part, ".") && part != settingsFolder && part != ".." && !yield(name[:end]) {
				return
			}
			at = end
		}
	}
}

// Ignored reports whether Read skips a path below the root: files of git,
// editors and package managers are not content.
func (n Named) Ignored(name string) bool {
	for part := range strings.SplitSeq(path.Dir(name), "/") {
		if part == "node_modules" {
			return true
		}
	}
	for at := range hiddenParts(name) {
		if !n[at] || names.Reserved(path.Base(at)) {
			return true
		}
	}
	return strings.HasPrefix(name, "/") || strings.HasSuffix(name, "/") || strings.Contains(name, "//")
}

// Ignored reports whether Read skips a path below the root if SUMMARY.md does
// not name it.
func Ignored(name string) bool { return Named(nil).Ignored(name) }

// HiddenParts returns the files and folders on a path that Read skips unless
// SUMMARY.md names them.
func HiddenParts(name string) []string {
	var out []string
	for at := range hiddenParts(name) {
		out = append(out, at)
	}
	return out
}

// NamedIn returns what the SUMMARY.md of a folder names.
func NamedIn(fsys fs.FS) Named {
	r := &folderReader{fsys: fsys, limits: DefaultLimits, tree: &Tree{}}
	if err := r.config(); err != nil {
		return nil // whoever reads the folder reports it
	}
	return r.namedBySummary()
}

// namedBySummary returns what the SUMMARY.md names, which may be written in
// another case.
func (r *folderReader) namedBySummary() Named {
	dir, base := path.Split(r.tree.Summary)
	list, err := fs.ReadDir(r.fsys, path.Clean(r.full(dir)))
	if err != nil {
		return nil
	}
	name := ""
	for _, e := range list {
		if e.Name() == base || name == "" && strings.EqualFold(e.Name(), base) {
			name = e.Name()
		}
	}
	if name == "" {
		return nil
	}
	if info, err := fs.Lstat(r.fsys, r.full(dir+name)); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	src, err := r.read(r.full(dir+name), r.limits.Markdown)
	if err != nil {
		return nil
	}
	return NamedBy(dir+name, bytes.TrimPrefix(src, []byte("\ufeff")))
}

// IsInclude reports whether a file is a reusable content: it is in the folder
// for them, at the top or in a folder of the documentation.
func IsInclude(name string) bool { return inSettings(name, includeFolder) }

// IsAsset reports whether a file is in a folder for images and other files.
func IsAsset(name string) bool { return inSettings(name, assetsFolder) }

func inSettings(name, folder string) bool {
	return strings.HasPrefix(name, folder) || strings.Contains(name, "/"+folder)
}

// passedOver says why a file is not a page although it looks like one, or like
// a navigation; empty for others.
func passedOver(name, summary string) string {
	base := strings.ToLower(path.Base(name))
	if path.Ext(base) == ".mdx" {
		return "MDX is a program and is not read; write it as .md"
	}
	if otherNavigation[base] {
		return "it is the navigation of another program; list the pages in " + summary
	}
	return ""
}

// otherNavigation are files in which other programs list pages.
var otherNavigation = map[string]bool{
	"mkdocs.yml": true, "mkdocs.yaml": true, "_toc.yml": true, "toc.yml": true, "_sidebar.md": true, "sidebars.js": true, "sidebars.ts": true,
	"docusaurus.config.js": true, "docusaurus.config.ts": true, "mint.json": true, "book.toml": true, "antora.yml": true,
}
