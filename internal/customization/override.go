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
	tree map[string]any // keys and values as in JSON, without null
}

// groups are the objects of the settings that are merged key by key, each with
// the groups in it. Everything else is replaced as a whole: half of a colour or
// of an announcement is nothing.
var groups = map[string]group{
	"styling":              {"sidebar": nil, "codeTheme": nil},
	"internationalization": nil, "header": nil, "footer": nil, "themes": nil, "pdf": nil, "feedback": nil, "ai": nil,
	"advancedCustomization": nil, "git": nil, "pageActions": nil, "externalLinks": nil, "pagination": nil, "trademark": nil,
	"privacyPolicy": nil, "socialPreview": nil, "insights": nil,
}

type group map[string]group

// Group reports whether the part of the settings at a path such as
// styling.sidebar is merged key by key, so that a patch can have some of its keys.
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

// Patch is a change of an override, or the settings that a client sends: a part
// of the settings where null drops what was there.
type Patch struct {
	tree map[string]any
}

// UnmarshalJSON implements json.Unmarshaler. It refuses what is no part of the
// settings or exceeds a limit of a field; see Settings.Check for the rest.
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

// UnmarshalJSON implements json.Unmarshaler, for what MarshalJSON returned.
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

// With returns the override after a change: what the patch names replaces what
// was there, null drops it.
func (o Override) With(p Patch) Override { return Override{merge(o.tree, p.tree, groups)} }

// With returns the settings of a space that overrides a part of them.
func (s Settings) With(o Override) Settings { return s.with(o.tree, s) }

// Replace returns the settings after a client that had read s sent others. What
// it left out, or sent as null, gets its default.
func (s Settings) Replace(title string, p Patch) Settings { return Default(title).with(p.tree, s) }

// with merges a part into the settings. before is what the client has read.
func (s Settings) with(part map[string]any, before Settings) Settings {
	b, err := jsontext.Marshal(s)
	if err != nil {
		return s // it has nothing that cannot be encoded
	}
	var whole map[string]any
	out := Settings{}
	if err := json.Unmarshal(b, &whole); err != nil {
		return s
	}
	b, err = jsontext.Marshal(overlay(whole, part, groups))
	if err != nil || json.Unmarshal(b, &out) != nil {
		return s // parse has shown that each part can be decoded
	}
	out.setActions(before, part)
	out.complete()
	return out
}

// merge returns base with the keys of patch. Keys that are null are dropped, and
// groups that are empty then.
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

// overlay returns base with the keys of part that are not null.
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

// parse reads a part of the settings that was stored. Limits may have changed
// since, so that only types count.
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

// object reads an object of bounded size.
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

// Encode returns the settings as they are stored. A title that is that of the
// site is left out, so that it follows when the site is renamed.
func (s Settings) Encode(title string) ([]byte, error) {
	if s.Title == title {
		s.Title = ""
	}
	s.UpdatedAt = 0
	return jsontext.Marshal(s)
}

// Decode returns the settings that Encode returned, for a site with a title.
// Parts that are newer than what was stored have their defaults.
func Decode(title string, stored []byte) (Settings, error) {
	var o Override
	if err := json.Unmarshal(stored, &o); err != nil {
		return Settings{}, err
	}
	return Default(title).With(o), nil
}
