package emoji

import (
	_ "embed"
	"strings"
	"sync"
)

// nameList has a line for each emoji: its code, then its names. The first name
// is the one that is written.
//
//go:embed names.txt
var nameList string

type nameTable struct{ codes, names map[string]string }

var table = sync.OnceValue(func() nameTable {
	t := nameTable{map[string]string{}, map[string]string{}}
	for line := range strings.Lines(nameList) {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		t.names[f[0]] = f[1]
		for _, name := range f[1:] {
			t.codes[name] = f[0]
		}
	}
	return t
})

// Code returns the code of a short name, such as 1f436, or an empty string.
func Code(name string) string { return table().codes[name] }

// Name returns the short name of a code, such as dog, or an empty string.
func Name(code string) string { return table().names[code] }

// ShortName reads `:name:` at the start of b. It returns the name, which need
// not be known, and the length with both colons, or 0.
func ShortName(b []byte) (name string, length int) {
	const longest = 64
	if len(b) < 3 || b[0] != ':' {
		return "", 0
	}
	for i := 1; i < len(b) && i < longest; i++ {
		switch c := b[i]; {
		case c == ':':
			return string(b[1:i]), i + 1
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '+' || c == '-':
		default:
			return "", 0
		}
	}
	return "", 0
}
