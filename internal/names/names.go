// Package names checks which paths are valid on every file system and in git, and
// which paths some file systems consider equal.
package names

import (
	"io/fs"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxName and MaxPath are the maximum bytes of a name and of a whole path. Common
// file systems do not support more.
const (
	MaxName = 255
	MaxPath = 1024
)

var (
	// device matches names that are devices on Windows, with any extension.
	device = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)`)
	// gitName matches the names of the folder of a repository. This includes short
	// names of Windows, and suffixes that Windows ignores: dots, spaces, streams.
	gitName = regexp.MustCompile(`(?i)^(\.git|git~[0-9]+)[. ]*(:.*)?$`)
)

// IsMark reports whether a character is an invisible mark, most of which change the
// direction of text. With such marks, a name can look like another one.
func IsMark(r rune) bool {
	return r == 0x200e || r == 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0xfeff || r == 0x061c
}

// isIgnored reports whether some file systems ignore a character in names. Persian
// and emoji need some of these characters, so they are not forbidden.
func isIgnored(r rune) bool {
	return IsMark(r) || r >= 0x200b && r <= 0x200d || r >= 0x2060 && r <= 0x206f
}

// isGit reports whether some file system considers a name equal to .git.
func isGit(part string) bool {
	if part == "" || part[0] < utf8.RuneSelf && strings.IndexByte(".gG", part[0]) < 0 {
		return false // fast path for nearly all names
	}
	return gitName.MatchString(strings.Map(func(r rune) rune {
		if isIgnored(r) {
			return -1
		}
		return r
	}, part))
}

// Reserved reports whether a name is reserved by git or by an operating system.
func Reserved(part string) bool { return isGit(part) || isDevice(part) }

func isDevice(part string) bool {
	switch strings.ToLower(part[:min(3, len(part))]) {
	case "con", "prn", "aux", "nul", "com", "lpt":
		return device.MatchString(part)
	}
	return false
}

// Problem returns why a path is not portable, or "" if it is.
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

// Fold returns a path in its normal form and a canonical case. Two paths have the same form if
// file systems that ignore case, and how a character is composed, consider them equal.
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
	}, Normal(name))
}
