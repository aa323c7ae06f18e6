package markup

import (
	_ "embed"
	"strings"
	"sync"
)

// emojiList has a line for each emoji: its code, then its names, of which the
// first one is written.
//
//go:embed inline_emoji.txt
var emojiList string

type emojis struct{ codes, names map[string]string }

var emojiTable = sync.OnceValue(func() emojis {
	e := emojis{map[string]string{}, map[string]string{}}
	for line := range strings.Lines(emojiList) {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		e.names[f[0]] = f[1]
		for _, name := range f[1:] {
			e.codes[name] = f[0]
		}
	}
	return e
})

// emojiCode gives the code of a name, such as 1f436, or "".
func emojiCode(name string) string { return emojiTable().codes[name] }

// emojiName reads `:name:` at the start of a text and gives how long it is.
func emojiName(b []byte) (string, int) {
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
