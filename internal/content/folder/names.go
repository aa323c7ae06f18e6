package folder

import (
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/names"
)

// CleanName turns any text into a valid name of a file or a folder. It returns
// a valid name unchanged.
func CleanName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r == '/' || r == '\\' || r == utf8.RuneError:
			return '-'
		case unicode.IsControl(r) || names.IsMark(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, "-"))
	ext := path.Ext(name)
	if len(ext) > 16 {
		ext = ""
	}
	stem := strings.TrimSuffix(name, ext)
	for len(stem)+len(ext) > names.MaxName {
		_, n := utf8.DecodeLastRuneInString(stem)
		stem = stem[:len(stem)-n]
	}
	name = strings.TrimRight(stem+ext, ". ")
	if names.Reserved(name) {
		name = "_" + name
	}
	if name == "" {
		return "untitled"
	}
	return name
}

// CleanPath turns any text into a valid path below the root. It returns a valid
// path unchanged.
func CleanPath(name string) string {
	var parts []string
	for part := range strings.SplitSeq(strings.ReplaceAll(name, "\\", "/"), "/") {
		if part == "" || part == "." || part == ".." {
			continue
		}
		parts = append(parts, CleanName(part))
	}
	if len(parts) == 0 {
		return "untitled"
	}
	for len(strings.Join(parts, "/")) > names.MaxPath && len(parts) > 1 {
		parts = parts[1:]
	}
	return strings.Join(parts, "/")
}

// visible returns a path that Read does not skip. It adds an underscore before each name
// that begins with a dot, except for .gitbook and for names in n.
func (n Named) visible(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		at := strings.Join(parts[:i+1], "/")
		if i < len(parts)-1 {
			at += "/"
		}
		if part[0] == '.' && part != settingsFolder && !n[at] {
			parts[i] = "_" + part
		}
	}
	return strings.Join(parts, "/")
}

// VisiblePath turns any text into a valid path below the root that Read does not
// skip. It returns such a path unchanged.
func VisiblePath(name string) string { return Named(nil).visible(CleanPath(name)) }

// namer returns valid paths, each only once. Valid paths that differ in case only are
// kept, because a repository may hold both. A path that is derived or had to be changed
// differs from all others in more than case.
type namer struct {
	taken  map[string]bool
	folded map[string]bool // the same paths, case-folded by names.Fold
	named  Named
}

// take returns a valid and visible form of a path. It appends a number if that path was
// returned before.
func (n namer) take(name string, derived bool) string {
	first := n.named.visible(CleanPath(name))
	clean := first
	for i := 2; n.taken[clean] || (derived || clean != name) && n.folded[names.Fold(clean)]; i++ {
		ext := path.Ext(first)
		number := "-" + strconv.Itoa(i)
		dir, stem := path.Split(strings.TrimSuffix(first, ext))
		for len(stem)+len(number)+len(ext) > names.MaxName {
			_, width := utf8.DecodeLastRuneInString(stem)
			stem = stem[:len(stem)-width]
		}
		clean = CleanPath(dir + stem + number + ext)
	}
	n.taken[clean], n.folded[names.Fold(clean)] = true, true
	return clean
}

// fromRoot is like the function inside, but accepts a path that begins with a slash, as
// in pages. Such a path is relative to the root.
func (p Place) fromRoot(dir, name string) (string, bool) {
	if rest, ok := strings.CutPrefix(name, "/"); ok && !strings.HasPrefix(rest, "/") {
		return inside(".", rest)
	}
	if at, ok := inside(dir, name); ok {
		return at, true
	}
	return p.inside(dir, name)
}

// inside is like the function inside, but accepts a path that leaves the root and returns
// to it, or that leads to the landing page.
func (p Place) inside(dir, name string) (string, bool) {
	full, ok := inside(p.Full(dir), name)
	if !ok {
		return "", false
	}
	if full == path.Clean(p.Root) {
		return ".", true
	}
	return p.Name(full)
}

// inside resolves a path in a file of the folder dir. It reports whether the path stays
// in the folder.
func inside(dir, name string) (string, bool) {
	if strings.HasPrefix(name, "/") || strings.Contains(name, "\\") || strings.ContainsRune(name, 0) {
		return "", false
	}
	p := path.Join(dir, name)
	if OutsideRoot(p) {
		return "", false
	}
	return p, true
}
