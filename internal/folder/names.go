package folder

import (
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/names"
)

// CleanName makes a name for a file or a folder of any text. A name that is
// good stays.
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

// CleanPath makes a path below the root of any text. A path that is good
// stays.
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

// visible gives a path that Read does not pass over: behind a dot there is
// only what is ours.
func visible(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		if part[0] == '.' && (i > 0 || part != ".gitbook") {
			parts[i] = "_" + part
		}
	}
	return strings.Join(parts, "/")
}

// Visible gives a path below the root that can be written and is read again.
// A path that is good stays.
func Visible(name string) string { return visible(CleanPath(name)) }

// namer gives every file a name that is good and its own.
type namer map[string]bool

// take gives the cleaned path, with a number if it is taken.
func (n namer) take(name string) string {
	first := Visible(name)
	clean := first
	for i := 2; n[names.Fold(clean)]; i++ {
		ext := path.Ext(first)
		number := "-" + strconv.Itoa(i)
		dir, stem := path.Split(strings.TrimSuffix(first, ext))
		for len(stem)+len(number)+len(ext) > names.MaxName {
			_, width := utf8.DecodeLastRuneInString(stem)
			stem = stem[:len(stem)-width]
		}
		clean = CleanPath(dir + stem + number + ext)
	}
	n[names.Fold(clean)] = true
	return clean
}

// inside resolves a path that is written in a file of the folder, and tells
// whether it stays in the folder.
func inside(dir, name string) (string, bool) {
	if strings.HasPrefix(name, "/") || strings.Contains(name, "\\") || strings.ContainsRune(name, 0) {
		return "", false
	}
	p := path.Join(dir, name)
	if p == ".." || strings.HasPrefix(p, "../") {
		return "", false
	}
	return p, true
}
