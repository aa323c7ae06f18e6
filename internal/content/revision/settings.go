package revision

import (
	"context"
	"encoding/json"

	"github.com/octavo-docs/octavo/internal/content/folder"
)

// Settings hold what a folder has besides pages, files and includes, so that
// exports can write it back unchanged.
const (
	SettingSummary  = "summary"   // object
	SettingConfig   = "config"    // object
	SettingVars     = "vars"      // object
	SettingTags     = "tags"      // object
	SettingLayout   = "layout"    // JSON of Layout
	SettingUnlisted = "unlisted/" // + path -> object
	SettingOther    = "other/"    // + path -> docs.File
	SettingRedirect = "redirect/" // + path -> path
	SettingLeads    = "leads/"    // + path of a redirect -> id of the page that it leads to
)

// Layout is how a folder is arranged.
type Layout struct {
	Root     string   `json:"root,omitempty"`
	Readme   string   `json:"readme,omitempty"`
	Summary  string   `json:"summary,omitempty"`
	Inferred bool     `json:"inferred,omitempty"`
	Skipped  []string `json:"skipped,omitempty"`
	// Variables and Tags are the paths of their files, if not the usual ones.
	Variables string `json:"variables,omitempty"`
	Tags      string `json:"tags,omitempty"`
}

// Place returns the place of the content in the folder.
func (l Layout) Place() folder.Place { return folder.Place{Root: l.Root, Readme: l.Readme} }

// Layout returns how the folder of a revision is arranged.
func (t *Tree) Layout(ctx context.Context) (l Layout, err error) {
	b, err := t.Setting(ctx, SettingLayout)
	if err == nil && len(b) > 0 {
		err = json.Unmarshal(b, &l)
	}
	return l, err
}
