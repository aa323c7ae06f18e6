package folder

import (
	"bytes"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/octavo-docs/octavo/internal/names"
)

// Named is the set of files and folders below the root whose names begin with a dot and
// that SUMMARY.md links to. Read does not skip them, nor the files in these folders. The
// zero value is the empty set.
type Named map[string]bool // paths; a path of a folder ends with a slash

// dotName matches a source that may link to a file or folder whose name begins with a
// dot. It avoids parsing all others.
var dotName = regexp.MustCompile(`(?:[(/<]|%2[Ff])(?:\.|%2[Ee])[^./]`)

// NamedBy returns the hidden files and folders that a SUMMARY.md links to. summary is the
// path of SUMMARY.md below the root.
func NamedBy(summary string, src []byte) Named {
	if !dotName.Match(src) {
		return nil
	}
	entries, err := parseSummary(src, DefaultLimits, func(int, string, string, ...any) {})
	if err != nil {
		return nil // Read reports the error
	}
	out := Named{}
	for _, e := range entries {
		if target, ok := e.target(path.Dir(summary)); ok {
			for _, name := range Candidates(target) {
				if isMarkdown(name) { // other files are not pages
					out.add(name)
				}
			}
		}
	}
	return out
}

// add adds the hidden file and the hidden folders of a path.
func (n Named) add(name string) {
	for at := range hiddenParts(name) {
		n[at] = true
	}
}

// hiddenParts yields each prefix of the path of a file whose last element begins with a
// dot, except for .gitbook. Prefixes that are folders end with a slash.
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

// Ignored reports whether Read skips a path below the root. It skips files of git,
// editors and package managers, which are not content.
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

// Ignored reports whether Read skips a path below the root that SUMMARY.md does not link
// to.
func Ignored(name string) bool { return Named(nil).Ignored(name) }

// HiddenParts returns the files and folders on a path that Read skips unless SUMMARY.md
// links to them.
func HiddenParts(name string) []string {
	var out []string
	for at := range hiddenParts(name) {
		out = append(out, at)
	}
	return out
}

// NamedIn returns the hidden files and folders that the SUMMARY.md of a folder links to.
func NamedIn(fsys fs.FS) Named {
	r := &folderReader{fsys: fsys, limits: DefaultLimits, tree: &Tree{}}
	if err := r.config(); err != nil {
		return nil // Read reports the error
	}
	return r.namedBySummary()
}

// namedBySummary returns the hidden files and folders that SUMMARY.md links to. The name
// of SUMMARY.md matches in any case.
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

// IsInclude reports whether a file is a reusable content: whether it is in
// .gitbook/includes at the root or in any folder below.
func IsInclude(name string) bool { return inSettings(name, includeFolder) }

// IsAsset reports whether a file is in .gitbook/assets at the root or in any folder
// below.
func IsAsset(name string) bool { return inSettings(name, assetsFolder) }

func inSettings(name, folder string) bool {
	return strings.HasPrefix(name, folder) || strings.Contains(name, "/"+folder)
}

// notPageReason returns why a file that looks like a page or a navigation is not used as
// one. It returns "" for all other files.
func notPageReason(name, summary string) string {
	base := strings.ToLower(path.Base(name))
	if path.Ext(base) == ".mdx" {
		return "MDX is a program and is not read; write it as .md"
	}
	if otherNavigation[base] {
		return "it is the navigation of another program; list the pages in " + summary
	}
	return ""
}

// otherNavigation are the names of files in which other documentation programs list
// pages.
var otherNavigation = map[string]bool{
	"mkdocs.yml": true, "mkdocs.yaml": true, "_toc.yml": true, "toc.yml": true, "_sidebar.md": true, "sidebars.js": true, "sidebars.ts": true,
	"docusaurus.config.js": true, "docusaurus.config.ts": true, "mint.json": true, "book.toml": true, "antora.yml": true,
}
