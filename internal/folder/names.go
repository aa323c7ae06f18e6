package folder

import (
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	// device are names that are not files on Windows, with any extension.
	device = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)`)
	// gitName is how a repository is called, also in short names of Windows.
	gitName = regexp.MustCompile(`(?i)^(\.git|git~[0-9]+)$`)
)

// isMark tells characters that turn the direction of what follows, so that
// a name looks like another one.
func isMark(r rune) bool {
	return r == 0x200e || r == 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0xfeff || r == 0x061c
}

// isIgnored tells characters that some file systems do not look at. Persian
// and emoji need some of them, so they are not bad as such.
func isIgnored(r rune) bool {
	return isMark(r) || r >= 0x200b && r <= 0x200d || r >= 0x2060 && r <= 0x206f
}

// isGit tells whether a name is, for some file system, that of a repository.
func isGit(part string) bool {
	return gitName.MatchString(strings.Map(func(r rune) rune {
		if isIgnored(r) {
			return -1
		}
		return r
	}, part))
}

// badName says why a path cannot be read or written, or nothing. What Read
// accepts, Write writes under the same name.
func badName(name string) string {
	switch {
	case !utf8.ValidString(name):
		return "its name is not UTF-8"
	case len(name) > maxPath:
		return "its path is too long"
	case strings.ContainsRune(name, '\\'):
		return "its name has a backslash"
	case !fs.ValidPath(name) || name == ".":
		return "its path leaves the folder"
	}
	for part := range strings.SplitSeq(name, "/") {
		if why := badPart(part); why != "" {
			return why
		}
	}
	return ""
}

func badPart(part string) string {
	if len(part) > maxName {
		return "its name is too long"
	}
	for _, r := range part {
		if unicode.IsControl(r) {
			return "its name has control characters"
		}
		if isMark(r) {
			return "its name has characters that turn the direction of text"
		}
	}
	switch {
	case strings.HasSuffix(part, ".") || strings.HasSuffix(part, " "):
		return "its name ends with a dot or a space"
	case isGit(part):
		return "its name is reserved for git"
	case device.MatchString(part):
		return "its name is reserved on Windows; rename it"
	}
	return ""
}

// CleanName makes a name for a file or a folder of any text. A name that is
// good stays.
func CleanName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r == '/' || r == '\\' || r == utf8.RuneError:
			return '-'
		case unicode.IsControl(r) || isMark(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, "-"))
	ext := path.Ext(name)
	if len(ext) > 16 {
		ext = ""
	}
	stem := strings.TrimSuffix(name, ext)
	for len(stem)+len(ext) > maxName {
		_, n := utf8.DecodeLastRuneInString(stem)
		stem = stem[:len(stem)-n]
	}
	name = strings.TrimRight(stem+ext, ". ")
	if device.MatchString(name) || isGit(name) {
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
	for len(strings.Join(parts, "/")) > maxPath && len(parts) > 1 {
		parts = parts[1:]
	}
	return strings.Join(parts, "/")
}

// fold gives the form of a path in which file systems that ignore case
// compare it.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf {
			return unicode.ToLower(r)
		}
		low := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			low = min(low, f)
		}
		return unicode.ToLower(low)
	}, name)
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

// namer gives every file a name that is good and its own.
type namer map[string]bool

// take gives the cleaned path, with a number if it is taken.
func (n namer) take(name string) string {
	first := visible(CleanPath(name))
	clean := first
	for i := 2; n[fold(clean)]; i++ {
		ext := path.Ext(first)
		number := "-" + strconv.Itoa(i)
		dir, stem := path.Split(strings.TrimSuffix(first, ext))
		for len(stem)+len(number)+len(ext) > maxName {
			_, width := utf8.DecodeLastRuneInString(stem)
			stem = stem[:len(stem)-width]
		}
		clean = CleanPath(dir + stem + number + ext)
	}
	n[fold(clean)] = true
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
