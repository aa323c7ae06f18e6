package markup

import (
	"regexp"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
)

// swaggerNode returns the block of a specification in a file or at a URL. It
// keeps content and attributes that the block does not define.
func swaggerNode(c *converter, t *tagContent) *Node {
	name, as, body := t.name, t.as, t.body
	dest, _ := as.Get("src")
	if dest == "" {
		return nil
	}
	data := orEmpty(t.others())
	data["path"], data["method"] = "", ""
	as.Flags(as.Strings(data, "path", "method"), "expanded", "fullWidth")
	n := blockNode("swagger", data)
	if name == "swagger" {
		data["tag"] = name
	}
	if body != "" && !isLinkTo(body, dest) {
		data["body"] = body
	}
	n.setRef(FieldRef, c.resolve(dest, UseFile), dest, UseFile)
	return n
}

// isLinkTo reports whether a body is the link that exporters write for programs
// that do not support the tag.
func isLinkTo(body, dest string) bool {
	return body == "["+dest+"]("+dest+")"
}

// loneLink matches a body that consists of a single link.
var loneLink = regexp.MustCompile(`^\[[^\[\]]*\]\([^()\s]*\)$`)

func openAPINode(_ *converter, t *tagContent) *Node {
	name, as, body := t.name, t.as, t.body
	spec, ok := as.Get("spec")
	if !ok || spec == "" {
		return nil
	}
	data := map[string]any{"ref": docs.Ref{Kind: docs.RefOpenAPI, Spec: spec}}
	for k, v := range t.others() {
		data[k] = v
	}
	switch name {
	case "openapi-operation":
		data["path"], data["method"] = "", ""
		as.Strings(data, "path", "method")
	case "openapi-webhook":
		data["name"], data["method"] = "", ""
		as.Strings(data, "name", "method")
	case "openapi-schemas":
		schemas := []any{}
		v, _ := as.Get("schemas")
		for _, s := range strings.Split(v, ",") {
			if s = strings.TrimSpace(s); s != "" {
				schemas = append(schemas, s)
			}
		}
		data["schemas"] = schemas
		as.Flags(as.Strings(data, "title"), "grouped")
	}
	// The body is a link for programs that do not support the tag. Its URL is
	// often signed and must not be kept.
	if body != "" && !loneLink.MatchString(body) {
		data["body"] = body
	}
	return blockNode(name, data)
}
