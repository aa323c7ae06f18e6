package scim

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/opt"
)

// group is the SCIM representation of a team.
type group struct {
	Schemas     []string      `json:"schemas"`
	ID          docs.TeamID   `json:"id"`
	ExternalID  string        `json:"externalId,omitempty"`
	DisplayName string        `json:"displayName"`
	Members     []groupMember `json:"members,omitempty"`
	Meta        meta          `json:"meta"`
}

type groupMember struct {
	Value docs.UserID `json:"value"`
	Ref   string      `json:"$ref"`
	Type  string      `json:"type"`
}

// groups returns teams as resources, with their members unless the request excludes members.
func (h *Handler) groups(c *call, found ...docs.DirectoryGroup) ([]any, error) {
	left, without := maxMembers, c.withoutMembers()
	var out []any
	for _, d := range found {
		g := group{
			Schemas: []string{schemaGroup}, ID: d.Team.ID, ExternalID: d.ExternalID, DisplayName: d.Team.Title,
			Meta: meta{"Group", formatTime(d.Team.CreatedAt), c.base + "/Groups/" + string(d.Team.ID)},
		}
		if !without {
			users, err := h.Directory.Members(c.r.Context(), d.Team.ID, left+1)
			if err != nil {
				return nil, err
			}
			if left -= len(users); left < 0 {
				return nil, bad("tooMany", "there are more than %d members in the answer; ask for fewer groups, or leave members out with excludedAttributes=members", maxMembers)
			}
			for _, u := range users {
				g.Members = append(g.Members, groupMember{u, c.base + "/Users/" + string(u), "User"})
			}
		}
		out = append(out, g)
	}
	return out, nil
}

// withoutMembers reports whether a request excludes members from the response.
func (c *call) withoutMembers() bool {
	q := c.r.URL.Query()
	named := func(list string) bool {
		for name := range strings.SplitSeq(list, ",") {
			if strings.EqualFold(local(strings.TrimSpace(name), schemaGroup), "members") {
				return true
			}
		}
		return false
	}
	only := q.Get("attributes")
	return named(q.Get("excludedAttributes")) || only != "" && !named(only)
}

func (c *call) teamID() docs.TeamID { return docs.TeamID(c.r.PathValue("id")) }

// one returns a response with one group.
func (h *Handler) one(c *call, status int, d docs.DirectoryGroup, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	items, err := h.groups(c, d)
	if err != nil {
		return answer{}, err
	}
	return answer{status, items[0]}, nil
}

func (h *Handler) listGroups(c *call) (answer, error) {
	s, err := c.pageRange()
	if err != nil {
		return answer{}, err
	}
	f, err := parseFilter(c.r.URL.Query().Get("filter"), "displayName", schemaGroup)
	if err != nil {
		return answer{}, err
	}
	found, total, err := h.Directory.Groups(c.r.Context(), c.org, f, s.from, s.count)
	if err != nil {
		return answer{}, err
	}
	items, err := h.groups(c, found...)
	return listed(s, total, items), err
}

func (h *Handler) getGroup(c *call) (answer, error) {
	d, err := h.Directory.Group(c.r.Context(), c.org, c.teamID())
	return h.one(c, http.StatusOK, d, err)
}

func (h *Handler) createGroup(c *call) (answer, error) {
	in, err := c.wholeGroup()
	if err != nil {
		return answer{}, err
	}
	d, err := h.Directory.CreateGroup(c.r.Context(), c.grant, c.org, in.Title.Or(""), in.Group)
	return h.one(c, http.StatusCreated, d, err)
}

func (h *Handler) replaceGroup(c *call) (answer, error) {
	in, err := c.wholeGroup()
	if err != nil {
		return answer{}, err
	}
	if len(in.Steps) == 0 { // PUT replaces the resource: without members, the group has none
		in.Steps = []orgs.Membership{{Op: orgs.ReplaceMembers}}
	}
	return h.changeGroup(c, in)
}

func (h *Handler) patchGroup(c *call) (answer, error) {
	in := new(groupInput)
	if err := c.patch(schemaGroup, in); err != nil {
		return answer{}, err
	}
	return h.changeGroup(c, in)
}

func (h *Handler) changeGroup(c *call, in *groupInput) (answer, error) {
	d, err := h.Directory.ChangeGroup(c.r.Context(), c.grant, c.org, c.teamID(), in.Group)
	return h.one(c, http.StatusOK, d, err)
}

func (h *Handler) deleteGroup(c *call) (answer, error) {
	err := h.Directory.DeleteGroup(c.r.Context(), c.grant, c.org, c.teamID())
	return answer{status: http.StatusNoContent}, err
}

// wholeGroup reads a complete group resource from the request.
func (c *call) wholeGroup() (*groupInput, error) {
	var body map[string]json.RawMessage
	if err := c.read(&body); err != nil {
		return nil, err
	}
	in := new(groupInput)
	if err := whole("replace", body, schemaGroup, in); err != nil {
		return nil, err
	}
	if !in.Title.IsSet() {
		return nil, bad("invalidValue", "displayName is missing")
	}
	return in, nil
}

// groupInput holds the attributes of a group in a request.
type groupInput struct {
	orgs.Group
	named int // number of members in the request
}

// maxTitle is the maximum number of characters of a team's title.
const maxTitle = 64

func (in *groupInput) set(op string, at path, value json.RawMessage) error {
	switch at.name {
	case "displayname":
		s, err := decodeString("displayName", value, maxTitle)
		if err == nil && (s == "" || op == "remove") {
			err = bad("invalidValue", "displayName must not be empty")
		}
		in.Title = opt.Of(s)
		return err
	case "externalid":
		s, err := decodeString("externalId", value, maxText)
		if op == "remove" {
			s, err = "", nil
		}
		in.ExternalID = opt.Of(s)
		return err
	case "members":
		return in.setMembers(op, at, value)
	}
	return nil
}

// setMembers appends one change of the members. For the operation remove, the filter of the path or the
// value names the members. With neither, all members are removed.
func (in *groupInput) setMembers(op string, at path, value json.RawMessage) error {
	var users []docs.UserID
	switch {
	case at.filter != "":
		f, err := memberOf(at.filter)
		if err != nil {
			return err
		}
		if op != "remove" {
			return bad("invalidPath", "members with a filter can be removed only")
		}
		users = []docs.UserID{f}
	default:
		var err error
		if users, err = readMembers(value); err != nil {
			return err
		}
	}
	if op == "remove" && len(value) > 0 && at.filter == "" && len(users) == 0 {
		return nil // an empty list names no member
	}
	if in.named += len(users); in.named > maxChanges {
		return bad("tooMany", "a request may name at most %d members; send several", maxChanges)
	}
	step := orgs.Membership{Op: orgs.AddMembers, Users: users}
	switch {
	case op == "replace" || op == "remove" && len(users) == 0:
		step.Op = orgs.ReplaceMembers
	case op == "remove":
		step.Op = orgs.RemoveMembers
	}
	in.Steps = append(in.Steps, step)
	return nil
}

// memberOf parses a filter of the form value eq "ID".
func memberOf(filter string) (docs.UserID, error) {
	f, err := parseFilter(filter, "value", schemaGroup)
	if err != nil || f.Name == "" {
		return "", bad("invalidPath", `members are named by members[value eq "ID"]`)
	}
	return docs.UserID(f.Name), nil
}

// readMembers decodes a list of members, or a single member.
func readMembers(value json.RawMessage) ([]docs.UserID, error) {
	type member struct {
		Value docs.UserID `json:"value"`
	}
	if len(value) == 0 || string(value) == "null" {
		return nil, nil
	}
	var list []member
	if json.Unmarshal(value, &list) != nil {
		var single member
		if json.Unmarshal(value, &single) != nil {
			return nil, bad("invalidValue", `members must be a list of objects, such as [{"value": "ID"}]`)
		}
		list = []member{single}
	}
	users := make([]docs.UserID, len(list))
	for i, m := range list {
		if m.Value == "" || len(m.Value) > maxText || strings.ContainsRune(string(m.Value), 0) {
			return nil, bad("invalidValue", "a member needs the id of a user as its value")
		}
		users[i] = m.Value
	}
	return users, nil
}
