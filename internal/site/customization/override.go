package customization

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/jsontext"
)

// Override is a part of the settings. The zero value overrides nothing.
type Override struct {
	tree map[string]any // as in JSON, without null
}

// groups are the objects of the settings that are merged key by key, each with its nested
// groups. All other values are replaced as a whole, because half of a colour or of an
// announcement makes no sense.
var groups = map[string]group{
	"styling":              {"sidebar": nil, "codeTheme": nil},
	"internationalization": nil, "header": nil, "footer": nil, "themes": nil, "pdf": nil, "feedback": nil, "ai": nil,
	"advancedCustomization": nil, "git": nil, "pageActions": nil, "mcp": nil, "externalLinks": nil, "embeds": nil, "pagination": nil, "trademark": nil,
	"privacyPolicy": nil, "socialPreview": nil, "insights": nil,
}

type group map[string]group

// Group reports whether the part of the settings at a path such as styling.sidebar is merged key
// by key, so that a patch may have only some of its keys.
func Group(path string) bool {
	in := group(groups)
	for _, key := range strings.Split(path, ".") {
		inner, ok := in[key]
		if !ok {
			return false
		}
		in = inner
	}
	return true
}

// Patch is a change of an override, or the settings that a client sends. It is a part of the
// settings in which null drops the previous value.
type Patch struct {
	tree map[string]any
}

// UnmarshalJSON implements json.Unmarshaler. It returns an error for unknown keys and for values
// that exceed a limit of a field. Settings.Check checks the rest.
func (p *Patch) UnmarshalJSON(b []byte) error {
	tree, err := object(b)
	if err != nil {
		return err
	}
	delete(tree, "updatedAt")
	if err := checkShape(tree); err != nil {
		return err
	}
	*p = Patch{tree}
	return nil
}

// UnmarshalJSON implements json.Unmarshaler, for the output of MarshalJSON.
func (o *Override) UnmarshalJSON(b []byte) error {
	tree, err := parse(b)
	if err != nil {
		return err
	}
	*o = Override{merge(nil, tree, groups)}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (o Override) MarshalJSON() ([]byte, error) {
	if o.tree == nil {
		return []byte("{}"), nil
	}
	return jsontext.Marshal(o.tree)
}

// IsEmpty reports whether nothing is overridden.
func (o Override) IsEmpty() bool { return len(o.tree) == 0 }

// With returns the override after a change. Values of the patch replace values of the override,
// and null drops them.
func (o Override) With(p Patch) Override { return Override{merge(o.tree, p.tree, groups)} }

// With returns the settings with an override applied.
func (s Settings) With(o Override) Settings { return s.with(o.tree, s) }

// Replace returns the settings after a client that had read s sent new ones. A value that the
// client omitted or sent as null is reset to its default.
func (s Settings) Replace(title string, p Patch) Settings { return Default(title).with(p.tree, s) }

// with merges a part into the settings. The argument before is what the client had read.
func (s Settings) with(part map[string]any, before Settings) Settings {
	b, err := jsontext.Marshal(s)
	if err != nil {
		return s // cannot happen: settings can always be encoded
	}
	var whole map[string]any
	out := Settings{}
	if err := json.Unmarshal(b, &whole); err != nil {
		return s
	}
	b, err = jsontext.Marshal(overlay(whole, part, groups))
	if err != nil || json.Unmarshal(b, &out) != nil {
		return s // cannot happen: UnmarshalJSON has checked that each part can be decoded
	}
	out.setActions(before, part)
	out.complete()
	return out
}

// merge returns base with the keys of patch. Keys with the value null are removed, and so are
// groups that become empty.
func merge(base, patch map[string]any, in group) map[string]any {
	out := maps.Clone(base)
	if out == nil {
		out = map[string]any{}
	}
	for key, value := range patch {
		inner, isGroup := in[key]
		part, _ := value.(map[string]any)
		switch {
		case value == nil:
			delete(out, key)
		case isGroup:
			old, _ := out[key].(map[string]any)
			if merged := merge(old, part, inner); len(merged) > 0 {
				out[key] = merged
			} else {
				delete(out, key)
			}
		default:
			out[key] = value
		}
	}
	return out
}

// overlay modifies and returns base, with the keys of part that are not null.
func overlay(base, part map[string]any, in group) map[string]any {
	for key, value := range part {
		inner, isGroup := in[key]
		under, _ := value.(map[string]any)
		old, _ := base[key].(map[string]any)
		switch {
		case value == nil:
		case isGroup && old != nil:
			base[key] = overlay(old, under, inner)
		default:
			base[key] = value
		}
	}
	return base
}

// parse parses a stored part of the settings. It checks only types, because limits may have
// changed since the part was stored.
func parse(b []byte) (map[string]any, error) {
	tree, err := object(b)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&Settings{}); err != nil {
		return nil, &errs.Error{Kind: errs.Invalid, Message: "the customization has an unknown or malformed part", Err: err}
	}
	return tree, nil
}

// object parses a JSON object of limited size.
func object(b []byte) (map[string]any, error) {
	if len(b) > MaxBytes {
		return nil, errs.E(errs.Invalid, "the customization is larger than %s", errs.Size(MaxBytes))
	}
	var tree map[string]any
	if err := json.Unmarshal(b, &tree); err != nil || tree == nil {
		return nil, errs.E(errs.Invalid, "the customization must be an object")
	}
	return tree, nil
}

// Encode returns the settings in the form in which they are stored. The title is omitted if it is
// that of the site, so that it follows when the site is renamed.
func (s Settings) Encode(title string) ([]byte, error) {
	if s.Title == title {
		s.Title = ""
	}
	s.UpdatedAt = 0
	return jsontext.Marshal(s)
}

// Decode returns the settings that Encode returned, for a site with a title. Parts that did not
// exist when the settings were stored have their defaults.
func Decode(title string, stored []byte) (Settings, error) {
	var o Override
	if err := json.Unmarshal(stored, &o); err != nil {
		return Settings{}, err
	}
	return Default(title).With(o), nil
}
