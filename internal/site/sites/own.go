package sites

import "strings"

// OwnPrefix begins the paths of a site, and of its spaces, that belong to no page. It cannot
// collide with the path of a page, because slugs do not begin with a tilde. OtherPrefix is an
// alias of OwnPrefix for clients that were written for other renderers.
const (
	OwnPrefix   = "~octavo/"
	OtherPrefix = "~gitbook/"
)

// OwnName trims OwnPrefix or OtherPrefix from a path, and reports whether it had one.
func OwnName(path string) (name string, ok bool) {
	if name, ok = strings.CutPrefix(path, OwnPrefix); !ok {
		name, ok = strings.CutPrefix(path, OtherPrefix)
	}
	return name, ok
}
