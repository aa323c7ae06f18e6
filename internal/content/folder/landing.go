package folder

import (
	"path"
	"slices"
	"strings"
)

// The landing page of a folder is its README.md. An index.md is the landing page of a
// folder without a README.md, unless a file beside the folder has its name: guide.md is the
// page of guide/ then. Any other index.md is an ordinary page. At the root, .gitbook.yaml
// may name another file.

// landingNames are the names under which links to a folder find its landing page, in their
// order.
var landingNames = []string{readmeName, "readme.md", "Readme.md", indexName, "Index.md"}

func isIndex(file string) bool { return strings.EqualFold(path.Base(file), indexName) }

// indexFor returns the index.md that takes the place of a README.md that does not exist, or
// "" if the landing page has another name.
func indexFor(readme string) string {
	if !strings.EqualFold(path.Base(readme), readmeName) {
		return ""
	}
	return path.Join(path.Dir(readme), indexName)
}

// isLanding reports whether a file is the landing page of its folder. find returns the file
// whose path differs from name at most in case, or "". The page of the root is readme.
func isLanding(file, readme string, find func(name string) string) bool {
	dir := path.Dir(file)
	switch {
	case file == readme:
		return true
	case strings.EqualFold(path.Base(file), readmeName):
		return dir != "."
	}
	return isIndex(file) && dir != "." && find(file) == file && find(path.Join(dir, readmeName)) == "" && find(dir+".md") == ""
}

// FolderOf returns the folder whose landing page a file is by its name: a README.md or an
// index.md, in any case and also without the extension. ok is false for all other names.
func FolderOf(file string) (dir string, ok bool) {
	dir, base := path.Split(strings.TrimSuffix(file, ".md"))
	return path.Clean(dir), strings.EqualFold(base, "readme") || strings.EqualFold(base, "index")
}

// Candidates returns the files that a path may refer to. The first one that exists is the
// target.
func Candidates(name string) []string {
	name = path.Clean(name)
	out := append(make([]string, 0, 2+len(landingNames)), name, name+".md")
	for _, landing := range landingNames {
		out = append(out, path.Join(name, landing))
	}
	return out
}

// Addresses returns the addresses that a path names for which no file exists. The first one
// with a page is the target. "." is the first page.
func Addresses(name string) []string {
	at := strings.TrimSuffix(name, ".md")
	dir, landing := FolderOf(at)
	switch {
	case !landing:
		return []string{at}
	case strings.EqualFold(path.Base(at), "index"): // may be the address of a page
		return []string{at, dir}
	}
	return []string{dir}
}

// sameLanding reports whether Read takes want for the landing page if .gitbook.yaml names
// have.
func (t *Tree) sameLanding(have, want string) bool {
	if strings.EqualFold(have, want) {
		return true
	}
	if index := indexFor(have); index == "" || !strings.EqualFold(index, want) {
		return false
	}
	readme := func(p *Page) bool { return strings.EqualFold(p.File, have) }
	return !slices.ContainsFunc(t.All(), readme) && !slices.ContainsFunc(t.Unlisted, readme)
}
