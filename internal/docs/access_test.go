package docs

import "testing"

// Each row shows that one rule of access.go takes precedence over the rules after it.
func TestResolvePrecedence(t *testing.T) {
	space := Node{Kind: NodeSpace, ID: "s", Level: LevelInherit, CreatedBy: "creator"}
	inner := Node{Kind: NodeCollection, ID: "in", Level: LevelInherit, CreatedBy: "creator"}
	outer := Node{Kind: NodeCollection, ID: "out", Level: LevelInherit, CreatedBy: "creator"}
	with := func(n Node, l Level) Node { n.Level = l; return n }
	member := func(role Role) *Access { return &Access{User: "u", Member: true, Role: role} }
	grant := func(a *Access, id string, r Role) *Access { a.UserGrants = map[string]Role{id: r}; return a }
	team := func(a *Access, id string, r Role) *Access {
		a.TeamGrants = map[string]TeamGrant{id: {Team: "t", Role: r}}
		return a
	}
	for name, c := range map[string]struct {
		a      *Access
		path   []Node
		role   Role
		reason Reason
		at     string
	}{
		"outsider":                            {&Access{User: "u"}, []Node{with(space, "admin")}, Guest, ReasonOutsider, ""},
		"disabled":                            {&Access{User: "u", Member: true, Disabled: true, Role: Admin}, []Node{space}, Guest, ReasonDisabled, ""},
		"organization admin beats no access":  {member(Admin), []Node{with(space, LevelNone)}, Admin, ReasonOrgAdmin, ""},
		"organization admin beats a grant":    {grant(member(Admin), "s", Read), []Node{space}, Admin, ReasonOrgAdmin, ""},
		"grant lowers":                        {grant(member(Create), "s", Read), []Node{space}, Read, ReasonUserGrant, "s"},
		"grant raises a guest":                {grant(member(Guest), "s", Edit), []Node{space}, Edit, ReasonUserGrant, "s"},
		"user grant beats team grant":         {team(grant(member(Read), "s", Comment), "s", Admin), []Node{space}, Comment, ReasonUserGrant, "s"},
		"team grant beats level":              {team(member(Read), "s", Review), []Node{with(space, LevelNone)}, Review, ReasonTeamGrant, "s"},
		"level lowers":                        {member(Create), []Node{with(space, "read")}, Read, ReasonLevel, "s"},
		"level raises a guest":                {member(Guest), []Node{with(space, "comment")}, Comment, ReasonLevel, "s"},
		"no access hides":                     {member(Create), []Node{with(space, LevelNone)}, Guest, ReasonHidden, "s"},
		"no access spares the creator":        {&Access{User: "creator", Member: true, Role: Edit}, []Node{with(space, LevelNone)}, Edit, ReasonCreator, "s"},
		"a guest creator can read":            {&Access{User: "creator", Member: true}, []Node{with(space, LevelNone)}, Read, ReasonCreator, "s"},
		"inherits the collection's level":     {member(Create), []Node{space, with(inner, "read"), outer}, Read, ReasonLevel, "in"},
		"inherits a grant on the collection":  {grant(member(Guest), "out", Edit), []Node{space, inner, outer}, Edit, ReasonUserGrant, "out"},
		"the nearer collection wins":          {grant(member(Guest), "out", Edit), []Node{space, with(inner, "read"), outer}, Read, ReasonLevel, "in"},
		"the space's level beats all above":   {grant(member(Guest), "out", Edit), []Node{with(space, "comment"), inner, outer}, Comment, ReasonLevel, "s"},
		"inherits the organization role":      {member(Review), []Node{space, inner, outer}, Review, ReasonOrgRole, ""},
		"a guest has nothing to inherit":      {member(Guest), []Node{space, inner}, Guest, ReasonOrgRole, ""},
		"hidden collection hides its content": {member(Create), []Node{space, with(inner, LevelNone)}, Guest, ReasonHidden, "in"},
	} {
		why := c.a.Resolve(c.path)
		at := ""
		if why.Node != nil {
			at = why.Node.ID
		}
		if why.Role != c.role || why.Reason != c.reason || at != c.at {
			t.Errorf("%s: %q by %s at %q, want %q by %s at %q", name, why.Role, why.Reason, at, c.role, c.reason, c.at)
		}
	}
}
