package apidoc

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/openapi"
)

// Prefixes of the names of parts, by kind.
const (
	partOperation = "o "
	partWebhook   = "w "
	partSchemas   = "s "
)

// PartOf returns the name of the part of a description that a block shows.
func PartOf(b markup.APIBlock) string {
	switch b.Type {
	case "openapi-schemas":
		return partSchemas + strings.Join(b.Schemas, ",")
	case "openapi-webhook":
		return partWebhook + strings.ToUpper(b.Method) + " " + b.Name
	}
	return partOperation + strings.ToUpper(b.Method) + " " + b.Path
}

// Fingerprint returns a fingerprint of a part of a description, and whether there is such
// a part. Output that was rendered from the part is valid as long as the fingerprint is
// unchanged.
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
