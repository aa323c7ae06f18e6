package markup

import (
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
)

// lostKinds maps kinds of references to the names that are written if the
// target of a reference cannot be located. The reference keeps the id of its
// target, so it works again if the target is restored.
var lostKinds = map[string]string{
	docs.RefPage: "pages", docs.RefFile: "files", docs.RefSpace: "spaces", docs.RefUser: "users", docs.RefCollection: "collections",
	docs.RefReusable: "reusable-content", docs.RefAnchor: "anchors", docs.RefOpenAPI: "openapi", docs.RefTag: "tags",
}

const lostPrefix = "/broken/"

// find returns the reference that a destination names.
func (r Refs) find(dest string, use Use) (docs.Ref, bool) {
	if r.Resolve != nil {
		if ref, ok := r.Resolve(dest, use); ok {
			return ref, true
		}
	}
	return readLost(dest)
}

// findAny returns the reference that one of the paths of a destination names.
func (r Refs) findAny(dest string, paths []string, use Use, needed bool) (docs.Ref, bool) {
	if r.Any != nil && len(paths) > 0 {
		return r.Any(dest, paths, use, needed)
	}
	for _, path := range paths {
		if ref, ok := r.find(path, use); ok {
			return ref, true
		}
	}
	return docs.Ref{}, false
}

// resolve returns the reference that a destination names, or a reference to the
// destination as a URL.
func (r Refs) resolve(dest string, use Use) docs.Ref {
	if ref, ok := r.find(dest, use); ok {
		return ref
	}
	return docs.Ref{Kind: docs.RefURL, URL: dest}
}

func writeLost(ref docs.Ref) string {
	id := ref.Target()
	dest := lostPrefix + lostKinds[ref.Kind] + "/" + lostEscape.Replace(id)
	switch {
	case ref.Kind == docs.RefAnchor && ref.Page != "":
		dest = lostPrefix + "pages/" + lostEscape.Replace(ref.Page) + "#" + lostEscape.Replace(id)
	case ref.Kind == docs.RefAnchor:
		dest = lostPrefix + "anchors//" + lostEscape.Replace(id)
	}
	if ref.Space != "" && ref.Kind != docs.RefSpace {
		dest += "?space=" + lostEscape.Replace(ref.Space)
	}
	return dest
}

func readLost(dest string) (docs.Ref, bool) {
	rest, ok := strings.CutPrefix(dest, lostPrefix)
	if !ok {
		return docs.Ref{}, false
	}
	rest, space, _ := strings.Cut(rest, "?space=")
	name, id, _ := strings.Cut(rest, "/")
	for kind, n := range lostKinds {
		if n != name {
			continue
		}
		page, anchor, inPage := strings.Cut(id, "#")
		if inPage = inPage && kind == docs.RefPage; inPage {
			kind, id = docs.RefAnchor, page+"/"+anchor
		}
		ref := docs.Ref{Kind: kind}
		if kind == docs.RefAnchor {
			var page string
			page, id, _ = strings.Cut(id, "/")
			ref.Page = lostUnescape.Replace(page)
		}
		if id == "" || strings.Contains(id, "/") {
			return docs.Ref{}, false
		}
		if space != "" {
			ref.Space = lostUnescape.Replace(space)
		}
		*ref.Field(docs.RefFields(kind)[0]) = lostUnescape.Replace(id)
		return ref, true
	}
	return docs.Ref{}, false
}

var (
	lostEscape   = strings.NewReplacer("%", "%25", "/", "%2F", "?", "%3F", "#", "%23", " ", "%20", "\n", "%0A", "\t", "%09", "\r", "%0D", "<", "%3C", ">", "%3E", "\\", "%5C", "(", "%28", ")", "%29", "\"", "%22")
	lostUnescape = strings.NewReplacer("%25", "%", "%2F", "/", "%3F", "?", "%23", "#", "%20", " ", "%0A", "\n", "%09", "\t", "%0D", "\r", "%3C", "<", "%3E", ">", "%5C", "\\", "%28", "(", "%29", ")", "%22", "\"")
)
