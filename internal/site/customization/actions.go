package customization

import "slices"

// An action is a page action that has a corresponding switch for older clients.
type action struct {
	item       string
	group, key string // path of the switch in JSON
	on         *bool
}

func (s *Settings) actions() []action {
	return []action{
		{"external-ai", "pageActions", "externalAI", &s.PageActions.ExternalAI},
		{"markdown", "pageActions", "markdown", &s.PageActions.Markdown},
		{"mcp", "pageActions", "mcp", &s.PageActions.MCP},
		{"git", "git", "showEditLink", &s.Git.ShowEditLink},
		{"pdf", "pdf", "enabled", &s.PDF.Enabled},
	}
}

func (s *Settings) hasAction(item string) bool { return slices.Contains(s.PageActions.Items, item) }

// setActions resolves a change of the page actions. The argument before is what the client had
// read. A client that sends items which differ from before supports items, so the items are
// used. A client that sends unchanged items or none may support only the switches, so the
// switches that it sends are used.
func (s *Settings) setActions(before Settings, sent map[string]any) {
	items := slices.Clone(before.PageActions.Items)
	if _, ok := member(sent, "pageActions", "items"); ok {
		if !slices.Equal(s.PageActions.Items, items) {
			s.PageActions.Items = unique(s.PageActions.Items)
			return
		}
	} else if _, ok := sent["pageActions"]; !ok {
		items = slices.Clone(s.PageActions.Items)
	}
	for _, a := range s.actions() {
		on, ok := member(sent, a.group, a.key)
		switch {
		case !ok:
		case on == true && !slices.Contains(items, a.item):
			items = append(items, a.item)
		case on == false:
			items = slices.DeleteFunc(items, func(item string) bool { return item == a.item })
		}
	}
	s.PageActions.Items = items
}

func unique(list []string) []string {
	var out []string
	for _, item := range list {
		if !slices.Contains(out, item) {
			out = append(out, item)
		}
	}
	return out
}

func member(tree map[string]any, group, key string) (any, bool) {
	g, _ := tree[group].(map[string]any)
	v, ok := g[key]
	return v, ok && v != nil
}
