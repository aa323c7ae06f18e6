package content

import (
	"context"
	"encoding/json"
)

// Settings that keep what a folder has besides pages, files and includes, so
// that it can be written back as it was.
const (
	settingSummary  = "summary"   // object
	settingConfig   = "config"    // object
	settingVars     = "vars"      // object
	settingTags     = "tags"      // object
	settingLayout   = "layout"    // JSON of layoutSetting
	settingUnlisted = "unlisted/" // + path -> object
	settingOther    = "other/"    // + path -> docs.File
	settingRedirect = "redirect/" // + path -> path
	settingLeads    = "leads/"    // + path of a redirect -> id of the page that it leads to
)

// layoutSetting is how a folder is arranged.
type layoutSetting struct {
	Root     string   `json:"root,omitempty"`
	Readme   string   `json:"readme,omitempty"`
	Summary  string   `json:"summary,omitempty"`
	Inferred bool     `json:"inferred,omitempty"`
	Skipped  []string `json:"skipped,omitempty"`
}

// layoutOf gives how the folder of a revision is arranged.
func (t *tree) layoutOf(ctx context.Context) (l layoutSetting, err error) {
	b, err := t.setting(ctx, settingLayout)
	if err == nil && len(b) > 0 {
		err = json.Unmarshal(b, &l)
	}
	return l, err
}
