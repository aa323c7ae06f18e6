package scim

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/opt"
)

// user is the SCIM representation of a member.
type user struct {
	Schemas     []string    `json:"schemas"`
	ID          docs.UserID `json:"id"`
	ExternalID  string      `json:"externalId,omitempty"`
	UserName    docs.Email  `json:"userName"`
	DisplayName string      `json:"displayName"`
	Name        userName    `json:"name"`
	Emails      []userEmail `json:"emails"`
	Roles       []userRole  `json:"roles"`
	Active      bool        `json:"active"`
	Meta        meta        `json:"meta"`
}

type userName struct {
	Formatted string `json:"formatted"`
}

type userEmail struct {
	Value   docs.Email `json:"value"`
	Type    string     `json:"type"`
	Primary bool       `json:"primary"`
}

type userRole struct {
	Value   docs.Role `json:"value"`
	Primary bool      `json:"primary"`
}

func (c *call) user(d docs.DirectoryUser) user {
	u := d.Member.User
	out := user{
		Schemas: []string{schemaUser}, ID: u.ID, ExternalID: d.ExternalID, UserName: u.Email,
		DisplayName: u.DisplayName, Name: userName{u.DisplayName}, Emails: []userEmail{{u.Email, "work", true}},
		Roles: []userRole{}, Active: !d.Member.Disabled,
		Meta: meta{"User", formatTime(d.Member.JoinedAt), c.base + "/Users/" + string(u.ID)},
	}
	if d.Member.Role != docs.Guest {
		out.Roles = append(out.Roles, userRole{d.Member.Role, true})
	}
	return out
}

func (c *call) userID() docs.UserID { return docs.UserID(c.r.PathValue("id")) }

func (h *Handler) listUsers(c *call) (answer, error) {
	s, err := c.pageRange()
	if err != nil {
		return answer{}, err
	}
	f, err := parseFilter(c.r.URL.Query().Get("filter"), "userName", schemaUser)
	if err != nil {
		return answer{}, err
	}
	found, total, err := h.Directory.Users(c.r.Context(), c.org, f, s.from, s.count)
	var items []any
	for _, d := range found {
		items = append(items, c.user(d))
	}
	return listed(s, total, items), err
}

func (h *Handler) getUser(c *call) (answer, error) {
	d, err := h.Directory.User(c.r.Context(), c.org, c.userID())
	return answer{http.StatusOK, c.user(d)}, err
}

func (h *Handler) createUser(c *call) (answer, error) {
	in, err := c.wholeUser()
	if err != nil {
		return answer{}, err
	}
	d, err := h.Directory.Provision(c.r.Context(), c.grant, c.org, in.email, in.person())
	return answer{http.StatusCreated, c.user(d)}, err
}

func (h *Handler) replaceUser(c *call) (answer, error) {
	in, err := c.wholeUser()
	if err != nil {
		return answer{}, err
	}
	return h.updateUser(c, in)
}

func (h *Handler) patchUser(c *call) (answer, error) {
	in := new(userInput)
	if err := c.patch(schemaUser, in); err != nil {
		return answer{}, err
	}
	return h.updateUser(c, in)
}

func (h *Handler) updateUser(c *call, in *userInput) (answer, error) {
	d, err := h.Directory.User(c.r.Context(), c.org, c.userID())
	if err != nil {
		return answer{}, err
	}
	// The address identifies the account. If a directory could change it, the directory could sign in to
	// accounts of other people.
	if in.email != "" && in.email != d.Member.User.Email {
		return answer{}, bad("mutability", "the userName of somebody cannot be changed: people change their address themselves, or you delete the user and create another one")
	}
	d, err = h.Directory.UpdateUser(c.r.Context(), c.grant, c.org, c.userID(), in.person())
	return answer{http.StatusOK, c.user(d)}, err
}

func (h *Handler) deleteUser(c *call) (answer, error) {
	err := h.Directory.RemoveUser(c.r.Context(), c.grant, c.org, c.userID())
	return answer{status: http.StatusNoContent}, err
}

// wholeUser reads a complete user resource from the request.
func (c *call) wholeUser() (*userInput, error) {
	var body map[string]json.RawMessage
	if err := c.read(&body); err != nil {
		return nil, err
	}
	in := new(userInput)
	if err := whole("replace", body, schemaUser, in); err != nil {
		return nil, err
	}
	if in.email == "" {
		return nil, bad("invalidValue", "userName must be the e-mail address of the person")
	}
	return in, nil
}

// userInput holds the attributes of a user in a request.
type userInput struct {
	email                             docs.Email
	external                          opt.Val[string]
	active                            opt.Val[bool]
	role                              opt.Val[docs.Role]
	display, formatted, given, family string
}

// maxName is the maximum number of characters of a name.
const maxName = 64

func (in *userInput) set(op string, at path, value json.RawMessage) (err error) {
	removed := op == "remove"
	switch at.name {
	case "username":
		return in.setEmail(removed, value)
	case "externalid":
		var s string
		if !removed {
			s, err = decodeString("externalId", value, maxText)
		}
		in.external = opt.Of(s)
	case "active":
		var yes bool
		if !removed { // without the attribute, the user is not active
			yes, err = decodeBool("active", value)
		}
		in.active = opt.Of(yes)
	case "displayname":
		if !removed {
			in.display, err = decodeString("displayName", value, maxName)
		}
	case "name":
		if !removed {
			err = in.setName(at.sub, value)
		}
	case "roles":
		err = in.setRole(removed, at.sub, value)
	}
	return err
}

func (in *userInput) setEmail(removed bool, value json.RawMessage) error {
	s, err := decodeString("userName", value, 254)
	if err != nil {
		return err
	}
	e, err := docs.ParseEmail(s)
	if err != nil || removed {
		return bad("invalidValue", "userName must be the e-mail address of the person")
	}
	in.email = e
	return nil
}

// setName sets one part of the name, or all parts if part is empty.
func (in *userInput) setName(part string, value json.RawMessage) (err error) {
	switch part {
	case "":
		var parts map[string]json.RawMessage
		if json.Unmarshal(value, &parts) != nil {
			return bad("invalidValue", "name must be an object")
		}
		for key, v := range parts {
			if key != "" && err == nil {
				err = in.setName(strings.ToLower(key), v)
			}
		}
	case "formatted":
		in.formatted, err = decodeString("name.formatted", value, 2*maxName)
	case "givenname":
		in.given, err = decodeString("name.givenName", value, maxName)
	case "familyname":
		in.family, err = decodeString("name.familyName", value, maxName)
	}
	return err
}

type roleInput struct {
	Value   string          `json:"value"`
	Primary json.RawMessage `json:"primary"`
}

func (r roleInput) primary() bool {
	yes, err := decodeBool("primary", r.Primary)
	return err == nil && yes
}

// setRole sets the role in the organization: the primary one of a list, or else the first one.
func (in *userInput) setRole(removed bool, sub string, value json.RawMessage) error {
	if removed {
		in.role = opt.Of(docs.Guest)
		return nil
	}
	var name string
	switch sub {
	case "":
		var roles []roleInput
		if json.Unmarshal(value, &roles) != nil {
			return bad("invalidValue", `roles must be a list of objects, such as [{"value": "read"}]`)
		}
		if len(roles) == 0 {
			return nil
		}
		name = roles[max(slices.IndexFunc(roles, roleInput.primary), 0)].Value
	case "value":
		var err error
		if name, err = decodeString("roles.value", value, maxText); err != nil {
			return err
		}
	default:
		return nil
	}
	role := docs.Role(strings.ToLower(name))
	if !slices.Contains(docs.Roles[:], role) {
		return bad("invalidValue", "%.50q is not a role; use one of admin, create, review, edit, comment and read", name)
	}
	in.role = opt.Of(role)
	return nil
}

// person returns the attributes that are stored.
func (in *userInput) person() orgs.Person {
	p := orgs.Person{ExternalID: in.external, Active: in.active, Role: in.role}
	name := in.display
	if name == "" {
		name = in.formatted
	}
	if name == "" && in.given != "" && in.family != "" {
		name = in.given + " " + in.family
	}
	if r := []rune(name); len(r) > maxName {
		name = string(r[:maxName])
	}
	if name != "" {
		p.Name = opt.Of(name)
	}
	return p
}
