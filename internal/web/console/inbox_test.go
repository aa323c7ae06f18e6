package console_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/comments"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/spaces"
)

// mentioned signs Bob in as a member, and mentions him in a comment by Ada.
func (w *world) mentioned(b *browser) (page shown) {
	w.t.Helper()
	ctx := w.t.Context()
	check := func(err error) {
		w.t.Helper()
		if err != nil {
			w.t.Fatal(err)
		}
	}
	in, err := w.srv.Orgs.Members.Invite(ctx, authz.OperatorGrant(w.boot.User), w.boot.Organization, []orgs.Invitee{{Email: "bob@octavo.example", Role: docs.Edit}}, false)
	check(err)
	page = b.open(w.await("bob@octavo.example", 0)) // the invitation
	check(w.srv.Orgs.Members.Ping(ctx, &authz.Grant{Actor: authz.Actor{User: in.Users[0]}}, w.boot.Organization))
	ada := authz.Actor{User: w.boot.User}
	top, _, err := authz.NewChecker(w.srv.Store.Reader).Org(ctx, ada, authz.CreateContent, w.boot.Organization)
	check(err)
	sp, _, err := w.srv.Spaces.Create(ctx, top, spaces.NewSpace{Title: "Guide & more"})
	check(err)
	g, _, err := authz.NewChecker(w.srv.Store.Reader).Space(ctx, ada, authz.CommentSpace, sp.ID)
	check(err)
	text := "What do you think, [Bob](/users/" + string(in.Users[0]) + ")? <script>"
	_, err = w.srv.Comments.Post(ctx, g, "", comments.New{Body: revision.Body{Markdown: &text}})
	check(err)
	return page
}

func TestInboxAndUnsubscribe(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		b := w.browser()
		token := csrf(t, w.mentioned(b))
		m := w.mail.Await(t, "bob@octavo.example", 1)
		if m.Subject != "ada mentioned you: Guide & more" || !strings.Contains(m.Text, "> What do you think, Bob?") {
			t.Errorf("%s\n%s", m.Subject, m.Text)
		}

		page := b.get("/inbox")
		for _, want := range []string{"1 unread", "<strong>ada mentioned you</strong>", "Guide &amp; more", "What do you think, Bob?", "Mark all as read"} {
			if !strings.Contains(page.text, want) {
				t.Errorf("no %q on the page:\n%s", want, page.text)
			}
		}
		if page = b.get("/inbox?kind=merged"); !strings.Contains(page.text, "There is nothing here.") {
			t.Error(page.text)
		}
		if page = b.post("/inbox", nil, "csrf", token, "back", "https://evil.example/"); page.path != "/inbox" || !strings.Contains(page.text, "Nothing unread") {
			t.Errorf("%s\n%s", page.path, page.text)
		}
		if page = b.post("/inbox", nil, "csrf", "wrong"); page.status != 403 {
			t.Errorf("a form of another session: %d", page.status)
		}

		// The link works without a sign-in, and for a mail program.
		link := strings.Trim(m.Header.Get("List-Unsubscribe"), "<>")
		other := w.browser()
		if page = other.get(link); page.status != 200 || !strings.Contains(page.text, "Stop these mails") {
			t.Fatalf("%d\n%s", page.status, page.text)
		}
		if page = b.get("/account"); !selected(page.text, "mentioned", "mail") {
			t.Error("opening the link has ended the mails")
		}
		if page = other.post(link, nil, "List-Unsubscribe", "One-Click"); page.status != 200 || !strings.Contains(page.text, "Done.") {
			t.Errorf("%d\n%s", page.status, page.text)
		}
		if page = b.get("/account"); !selected(page.text, "mentioned", "inbox") || !selected(page.text, "replied", "mail") {
			t.Error("the mails go on")
		}
		if page = other.get("/unsubscribe?key=" + url.QueryEscape("wrong")); page.status != 404 {
			t.Errorf("a link that nobody sent: %d", page.status)
		}

		form := []string{"csrf", token, "period", "weekly", "weekday", "5", "hour", "17", "zone", "Europe/Paris"}
		for _, k := range docs.NoticeKinds {
			form = append(form, string(k), "digest")
		}
		if page = b.post("/account/notifications", nil, form...); !strings.Contains(page.text, "Your choice of notifications is stored.") || !selected(page.text, "merged", "digest") {
			t.Error(page.text)
		}
		if page = b.post("/account/notifications", nil, append(form, "zone", "Mars/Base")...); page.status != 400 {
			t.Errorf("%d", page.status)
		}
	})
}

// selected reports whether an option of a select element on a page is selected.
func selected(page, name, value string) bool {
	_, list, _ := strings.Cut(page, `name="`+name+`"`)
	list, _, _ = strings.Cut(list, "</select>")
	return strings.Contains(list, `value="`+value+`" selected`)
}
