package inbox_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/comments"
	"github.com/octavo-docs/octavo/internal/content/reviews"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/inbox"
	"github.com/octavo-docs/octavo/internal/identity/mail"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/jobs"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testmail"
	"github.com/octavo-docs/octavo/internal/testing/testservices"
	"github.com/octavo-docs/octavo/internal/web/services"
)

// world holds the services of a server with a mail server, a clock that the test moves, and an
// organization with the admin Ada.
type world struct {
	*services.Services
	t     *testing.T
	now   time.Time
	smtp  *testmail.Server
	org   docs.OrgID
	space docs.SpaceID
	ids   map[string]docs.UserID
}

const monday = "2026-03-09T12:30:00Z"

func newWorld(t *testing.T, o store.Options) *world {
	t.Helper()
	now, err := time.Parse(time.RFC3339, monday)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, now: now, smtp: testmail.Start(t), ids: map[string]docs.UserID{}}
	o.Clock = func() time.Time { return w.now }
	w.Services = testservices.New(t, testdb.Open(t, o), services.Settings{BaseURL: "https://docs.octavo.example"})
	if w.Inbox.Mail, err = mail.ParseSMTP(w.smtp.URL(), "Octavo <docs@octavo.example>"); err != nil {
		t.Fatal(err)
	}
	w.org = w.organization("ada", "Acme")
	w.space = w.newSpace("ada", w.org, "Guide")
	return w
}

// organization creates an organization with an admin.
func (w *world) organization(admin, title string) docs.OrgID {
	w.t.Helper()
	b, err := w.Orgs.Operator.Bootstrap(w.t.Context(), admin+"@octavo.example", title, "test")
	w.check(err)
	w.ids[admin] = b.User
	w.verify(b.User)
	return b.Organization
}

func (w *world) check(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// verify marks the address of a user as verified, as opening the link of a mail does.
func (w *world) verify(id docs.UserID) {
	w.t.Helper()
	w.check(w.Store.Do(w.t.Context(), func(tx *store.Tx) error {
		u, err := tx.User(w.t.Context(), id)
		if err != nil {
			return err
		}
		u.Verified = true
		return tx.PutUser(w.t.Context(), u)
	}))
}

// join adds users with verified addresses to an organization, who use it.
func (w *world) join(org docs.OrgID, role docs.Role, names ...string) {
	w.t.Helper()
	for _, name := range names {
		in, err := w.Orgs.Members.Invite(w.t.Context(), authz.OperatorGrant(w.ids["ada"]), org, []orgs.Invitee{{Email: name + "@octavo.example", Role: role}}, false)
		w.check(err)
		w.ids[name] = in.Users[0]
		w.verify(in.Users[0])
		w.check(w.Orgs.Members.Ping(w.t.Context(), &authz.Grant{Actor: authz.Actor{User: in.Users[0]}}, org))
	}
}

func (w *world) newSpace(who string, org docs.OrgID, title string) docs.SpaceID {
	w.t.Helper()
	g, _, err := authz.NewChecker(w.Store.Reader).Org(w.t.Context(), authz.Actor{User: w.ids[who]}, authz.CreateContent, org)
	w.check(err)
	sp, _, err := w.Spaces.Create(w.t.Context(), g, spaces.NewSpace{Title: title})
	w.check(err)
	return sp.ID
}

// on returns the grant of a user for an action on the space.
func (w *world) on(who string, a authz.Action) *authz.Grant {
	w.t.Helper()
	g, _, err := authz.NewChecker(w.Store.Reader).Space(w.t.Context(), authz.Actor{User: w.ids[who]}, a, w.space)
	w.check(err)
	return g
}

func (w *world) request(who, subject string) docs.ChangeRequest {
	w.t.Helper()
	cr, err := w.Reviews.Create(w.t.Context(), w.on(who, authz.EditSpace), reviews.New{Subject: subject})
	w.check(err)
	return cr
}

// ask requests a review.
func (w *world) ask(who string, cr docs.ChangeRequest, reviewers ...string) {
	w.t.Helper()
	var users []docs.UserID
	for _, r := range reviewers {
		users = append(users, w.ids[r])
	}
	_, _, err := w.Reviews.RequestReviews(w.t.Context(), w.on(who, authz.EditSpace), string(cr.ID), reviews.ReviewRequest{Users: users})
	w.check(err)
}

// say comments on a change request, or on the space if cr has no id.
func (w *world) say(who string, cr docs.ChangeRequest, text string) docs.CommentID {
	w.t.Helper()
	w.now = w.now.Add(time.Second) // events at the same time have no order
	c, err := w.Comments.Post(w.t.Context(), w.on(who, authz.CommentSpace), string(cr.ID), comments.New{Body: revision.Body{Markdown: &text}})
	w.check(err)
	return c.ID
}

// mention returns Markdown that mentions a user.
func (w *world) mention(who string) string { return fmt.Sprintf("[%s](/users/%s)", who, w.ids[who]) }

// runner returns a runner for the jobs of this package.
func (w *world) runner() *jobs.Runner {
	r := jobs.New(w.Store, slog.New(slog.DiscardHandler))
	r.Handle(audit.NoticeJob, w.Inbox.Notify)
	r.Handle(inbox.MailJob, w.Inbox.Send)
	r.Handle(orgs.InvitedJob, func(context.Context, []byte) error { return nil })
	return r
}

// work runs all jobs that are due.
func (w *world) work() {
	w.t.Helper()
	r := w.runner()
	for {
		did, err := r.RunOne(w.t.Context())
		w.check(err)
		if !did {
			return
		}
	}
}

// later moves the clock and runs the jobs that are due then.
func (w *world) later(d time.Duration) {
	w.t.Helper()
	w.now = w.now.Add(d)
	w.work()
}

// mails returns the mails to a user.
func (w *world) mails(who string) []testmail.Message {
	return slices.DeleteFunc(w.smtp.Messages(), func(m testmail.Message) bool { return m.To != who+"@octavo.example" })
}

// me returns the grant of a user for their own inbox.
func (w *world) me(who string) *authz.Grant { return authz.BackgroundGrant(w.ids[who]) }

// kinds returns the kinds of the notices in the inbox of a user.
func (w *world) kinds(who string) []docs.NoticeKind {
	w.t.Helper()
	list := w.Inbox.List(w.me(who), inbox.Filter{})
	items, _, err := list.Page(w.t.Context(), store.Page{Limit: 100})
	w.check(err)
	n, err := list.Count(w.t.Context())
	w.check(err)
	if int(n) != len(items) {
		w.t.Errorf("%s has %d notices, and a count of %d", who, len(items), n)
	}
	out := []docs.NoticeKind{}
	for _, it := range items {
		out = append(out, it.Kind)
	}
	return out
}

// choose sets the channel of a user for a kind.
func (w *world) choose(who string, k docs.NoticeKind, c docs.Channel) {
	w.t.Helper()
	_, err := w.Inbox.UpdateSettings(w.t.Context(), w.me(who), func(n docs.Notifications) (docs.Notifications, error) { return n.With(k, c), nil })
	w.check(err)
}
