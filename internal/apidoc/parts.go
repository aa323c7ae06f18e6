package apidoc

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/openapi"
)

// The kinds of parts, which are in front of their names.
const (
	partOperation = "o "
	partWebhook   = "w "
	partSchemas   = "s "
)

// PartOf names the part of a description that a block shows.
func PartOf(b markup.APIBlock) string {
	switch b.Type {
	case "openapi-schemas":
		return partSchemas + strings.Join(b.Schemas, ",")
	case "openapi-webhook":
		return partWebhook + strings.ToUpper(b.Method) + " " + b.Name
	}
	return partOperation + strings.ToUpper(b.Method) + " " + b.Path
}

// Fingerprint names what a description says of a part: what was made of the part is
// the same as long as the fingerprint is. It reports whether there is such a part.
func Fingerprint(d *openapi.Description, part string) (string, bool) {
	if d == nil || len(part) < len(partOperation) {
		return "", false
	}
	kind, name := part[:len(partOperation)], part[len(partOperation):]
	if kind == partSchemas {
		return schemasFingerprint(d, name), true
	}
	method, at, _ := strings.Cut(name, " ")
	o := d.Operation(method, at)
	if kind == partWebhook {
		o = d.Webhook(at, method)
	}
	if o == nil {
		return "", false
	}
	return o.Fingerprint(), true
}

func schemasFingerprint(d *openapi.Description, names string) string {
	h := sha256.New()
	add := func(s openapi.Schema) { h.Write([]byte(s.Fingerprint() + "\n")) }
	if names == "" {
		for _, s := range d.Schemas {
			add(s)
		}
	}
	for _, name := range strings.Split(names, ",") {
		if s, ok := d.Schema(name); ok {
			add(s)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
