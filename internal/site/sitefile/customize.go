package sitefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/jsontext"
	"github.com/octavo-docs/octavo/internal/markup/yamldoc"
	"github.com/octavo-docs/octavo/internal/site/customization"
)

// customize plans changes of the customization. The settings of the file are merged into
// the current settings.
func (p *planner) customize(c Current, title string, f *File) error {
	patch := f.Customization
	if patch == nil {
		return nil
	}
	have := c.Settings
	have.UpdatedAt = 0
	if have.Title == c.Title { // the title follows the title of the site
		have.Title = title
	}
	wanted, err := patched(have, title, *patch)
	if err != nil {
		return errors.Join(inSettings(f.settings, err)...)
	}
	for path, condition := range wanted.NewConditions(have) {
		if c.Schema != nil {
			p.problems = append(p.problems, inSettings(f.settings, c.Schema.CheckCondition(path, condition))...)
		}
	}
	again, err := patched(wanted, title, *patch)
	if err != nil {
		return err
	}
	a, b := tree(have), tree(wanted)
	if !reflect.DeepEqual(b, tree(again)) {
		return fmt.Errorf("line %d: customization: pageActions.items and the switches of page actions contradict each other; keep one of them", yamldoc.LineOf(f.settings, "pageActions"))
	}
	if reflect.DeepEqual(a, b) {
		return nil
	}
	p.step(Change, "customization: "+strings.Join(slices.Sorted(maps.Keys(differences(b, a, ""))), ", "), p.call("PUT", b, "customization"))
	return nil
}

// patched returns settings after a patch, according to the rules of the server.
func patched(s customization.Settings, title string, patch customization.Patch) (customization.Settings, error) {
	b, err := jsontext.Marshal(s)
	if err != nil {
		return s, err
	}
	var o customization.Override
	var whole customization.Patch
	if err := json.Unmarshal(b, &o); err != nil {
		return s, fmt.Errorf("the customization of the site: %w", err)
	}
	if b, err = o.With(patch).MarshalJSON(); err == nil {
		err = json.Unmarshal(b, &whole)
	}
	if err != nil {
		return s, err
	}
	out := s.Replace(title, whole)
	if err := out.Check(); err != nil {
		return s, err
	}
	return out, nil
}

// tree returns settings as decoded JSON.
func tree(s customization.Settings) map[string]any {
	out := map[string]any{}
	b, err := jsontext.Marshal(s)
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(b))
		err = d.Decode(&out)
	}
	if err != nil {
		return nil // settings can always be encoded
	}
	return out
}

// differences returns the values of s that differ from those of others, by path. Only
// values that can be set individually have a path. A key that only others has is nil.
func differences(s, others map[string]any, prefix string) map[string]any {
	out := map[string]any{}
	for key, value := range s {
		path := prefix + key
		inner, isMap := value.(map[string]any)
		other, _ := others[key].(map[string]any)
		switch {
		case reflect.DeepEqual(value, others[key]):
		case isMap && customization.Group(path):
			maps.Copy(out, differences(inner, other, path+"."))
		default:
			out[path] = value
		}
	}
	for key := range others {
		if _, ok := s[key]; !ok {
			out[prefix+key] = nil
		}
	}
	return out
}
