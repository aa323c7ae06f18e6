package testservices

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/identity/signin"
	"github.com/octavo-docs/octavo/internal/jobs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/web/services"
)

// Org is an organization, with the services and the guard that requests to it pass, for
// tests of who may do what in it.
type Org struct {
	*services.Services
	ID    docs.OrgID
	Admin docs.UserID
	Token string // of the admin

	t testing.TB
}

// NewOrg returns the organization Acme, whose admin is ada@octavo.example, in a new store.
func NewOrg(t testing.TB, o store.Options, c services.Settings) *Org {
	t.Helper()
	w := &Org{Services: New(t, testdb.Open(t, o), c), t: t}
	b := w.Other("ada@octavo.example", "Acme")
	w.ID, w.Admin, w.Token = b.Organization, b.User, b.Token
	return w
}

// Other makes another organization in the same store.
func (w *Org) Other(admin, title string) orgs.Bootstrapped {
	w.t.Helper()
	b, err := w.Orgs.Operator.Bootstrap(w.t.Context(), admin, title, "test")
	if err != nil {
		w.t.Fatal(err)
	}
	return b
}

// Invite makes the person with an address a member.
func (w *Org) Invite(email string, role docs.Role, sso bool) docs.UserID {
	w.t.Helper()
	in, err := w.Orgs.Members.Invite(w.t.Context(), authz.OperatorGrant(w.Admin), w.ID, []orgs.Invitee{{Email: email, Role: role}}, sso)
	if err != nil || len(in.Users) != 1 {
		w.t.Fatalf("%s is not invited: %+v %v", email, in, err)
	}
	return in.Users[0]
}

// TokenOf returns a new token of the person with an address.
func (w *Org) TokenOf(email string, scopes ...docs.Scope) string {
	w.t.Helper()
	secret, err := w.Orgs.Operator.CreateToken(w.t.Context(), email, orgs.NewToken{Label: "test", Scopes: scopes})
	if err != nil {
		w.t.Fatal(err)
	}
	return secret
}

// SessionOf returns the secret of a new session of the person with an address.
func (w *Org) SessionOf(email string) string {
	w.t.Helper()
	link, err := w.SignIn.LinkFor(w.t.Context(), email)
	if err != nil {
		w.t.Fatal(err)
	}
	in, err := w.SignIn.UseLink(w.t.Context(), Key(link), "", signin.Client{Request: "test"})
	if err != nil {
		w.t.Fatal(err)
	}
	return in.Secret
}

// Key returns the secret in the address of a link that signs in.
func Key(link string) string {
	_, key, _ := strings.Cut(link, "key=")
	return key
}

// Ask returns the grant of a request with a token or a session, if the guard lets it in.
// path has names and values of the path; the organization is Acme if it has none.
func (w *Org) Ask(secret string, rule authz.Rule, path ...string) (*authz.Grant, error) {
	w.t.Helper()
	from := authz.Origin{Request: "test", Address: "127.0.0.1"}
	var s *authz.Session
	var err error
	if strings.HasPrefix(secret, docs.SessionPrefix) {
		s, err = w.Guard.AuthenticateSession(w.t.Context(), secret, from)
	} else {
		s, err = w.Guard.Authenticate(w.t.Context(), "Bearer "+secret, from)
	}
	if err != nil {
		return nil, err
	}
	values := map[string]string{"organizationId": string(w.ID)}
	for i := 0; i+1 < len(path); i += 2 {
		values[path[i]] = path[i+1]
	}
	return w.Guard.Check(w.t.Context(), s, rule, func(name string) string { return values[name] }, w.Store.Clock())
}

// Grant is Ask for a request that has to be let in.
func (w *Org) Grant(secret string, rule authz.Rule, path ...string) *authz.Grant {
	w.t.Helper()
	g, err := w.Ask(secret, rule, path...)
	if err != nil {
		w.t.Fatal(err)
	}
	return g
}

// Logged returns the entries of an audit log with an action, oldest first: the subject and
// the data.
func (w *Org) Logged(org docs.OrgID, action string) (out []string) {
	w.t.Helper()
	rows, _, err := w.Store.Audit(w.t.Context(), org, store.AuditFilter{Action: action}, store.Page{Limit: 100})
	if err != nil {
		w.t.Fatal(err)
	}
	for i := range rows {
		r := rows[len(rows)-1-i]
		out = append(out, r.SubjectID+" "+r.Data)
	}
	return out
}

// Work runs the jobs that mail people links, warnings and invitations, until none is due.
func (w *Org) Work() {
	w.t.Helper()
	r := jobs.New(w.Store, slog.New(slog.DiscardHandler))
	r.Handle(signin.LinkJob, w.SignIn.SendLink)
	r.Handle(signin.MovedJob, w.SignIn.SendWarning)
	r.Handle(signin.AddedJob, w.SignIn.SendAdded)
	r.Handle(orgs.InvitedJob, w.SignIn.SendInvitation)
	for did := true; did; {
		var err error
		if did, err = r.RunOne(w.t.Context()); err != nil {
			w.t.Fatal(err)
		}
	}
}
