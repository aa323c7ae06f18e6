// Package names says which paths every file system and git can hold, and
// which of them are the same to some.
package names

import (
	"io/fs"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxName and MaxPath are the bytes of one name and of a whole path. Common
// file systems have no room for more.
const (
	MaxName = 255
	MaxPath = 1024
)

var (
	// device are names that are not files on Windows, with any extension.
	device = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)`)
	// gitName is how a repository is called, also in short names of Windows
	// and with what Windows cuts off: dots and spaces, and streams.
	gitName = regexp.MustCompile(`(?i)^(\.git|git~[0-9]+)[. ]*(:.*)?$`)
)

// IsMark returns characters that turn the direction of what follows, so that
// a name looks like another one.
func IsMark(r rune) bool {
	return r == 0x200e || r == 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0xfeff || r == 0x061c
}

// isIgnored returns characters that some file systems do not look at. Persian
// and emoji need some of them, so they are not bad as such.
func isIgnored(r rune) bool {
	return IsMark(r) || r >= 0x200b && r <= 0x200d || r >= 0x2060 && r <= 0x206f
}

// isGit reports whether a name is, for some file system, that of a repository.
func isGit(part string) bool {
	if part == "" || part[0] < utf8.RuneSelf && strings.IndexByte(".gG", part[0]) < 0 {
		return false // as it is with nearly all
	}
	return gitName.MatchString(strings.Map(func(r rune) rune {
		if isIgnored(r) {
			return -1
		}
		return r
	}, part))
}

// Reserved reports whether a name means something else than a file to git or
// to some system.
func Reserved(part string) bool { return isGit(part) || isDevice(part) }

func isDevice(part string) bool {
	switch strings.ToLower(part[:min(3, len(part))]) {
	case "con", "prn", "aux", "nul", "com", "lpt":
		return device.MatchString(part)
	}
	return false
}

// Problem returns why a path cannot be read or written, or "" if it can.
func Problem(name string) string {
	switch {
	case !utf8.ValidString(name):
		return "its name is not UTF-8"
	case len(name) > MaxPath:
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
	if len(part) > MaxName {
		return "its name is too long"
	}
	for _, r := range part {
		if unicode.IsControl(r) {
			return "its name has control characters"
		}
		if IsMark(r) {
			return "its name has characters that turn the direction of text"
		}
	}
	switch {
	case strings.HasSuffix(part, ".") || strings.HasSuffix(part, " "):
		return "its name ends with a dot or a space"
	case isGit(part):
		return "its name is reserved for git"
	case isDevice(part):
		return "its name is reserved on Windows; rename it"
	}
	return ""
}

// Fold returns the form of a path in which file systems that ignore case
// compare it.
func Fold(name string) string {
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
