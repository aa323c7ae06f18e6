package inbox_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/reviews"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/inbox"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

func TestAMailAtOnce(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o)
		w.join(w.org, docs.Review, "rev", "ann")
		cr := w.request("ann", "Shorter <b>words</b>\r\nBcc: eve")
		w.ask("ann", cr, "rev", "ann")
		w.work()
		got := w.mails("rev")
		if len(got) != 1 || len(w.mails("ann")) != 0 {
			t.Fatalf("%d mails to who was asked, %d to who asked", len(got), len(w.mails("ann")))
		}
		m := got[0]
		if m.Subject != "ann asks you for a review: Shorter <b>words</b> Bcc: eve" || m.Header.Get("Bcc") != "" {
			t.Errorf("%q", m.Subject)
		}
		for _, want := range []string{"(#1 in Guide).", "https://docs.octavo.example/o/", "https://docs.octavo.example/account#notifications", "https://docs.octavo.example/unsubscribe?key="} {
			if !strings.Contains(m.Text, want) {
				t.Errorf("the text has no %q:\n%s", want, m.Text)
			}
		}
		if strings.Contains(m.HTML, "<b>words") || !strings.Contains(m.HTML, "&lt;b&gt;words") {
			t.Errorf("the subject is not escaped:\n%s", m.HTML)
		}
		link := strings.Trim(m.Header.Get("List-Unsubscribe"), "<>")
		if m.Header.Get("List-Unsubscribe-Post") != "List-Unsubscribe=One-Click" || !strings.Contains(m.Text, link) || !strings.HasPrefix(link, "https://") {
			t.Errorf("%q %q", link, m.Header.Get("List-Unsubscribe-Post"))
		}
		w.later(time.Hour)
		if n := len(w.mails("rev")); n != 1 {
			t.Errorf("%d mails of one event", n)
		}
	})
}

// Who was added to an organization and has not used it gets no mails about comments there.
func TestNoMailsToStrangers(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o)
		in, err := w.Orgs.Members.Invite(t.Context(), authz.OperatorGrant(w.ids["ada"]), w.org, []orgs.Invitee{{Email: "bob@octavo.example", Role: docs.Edit}}, false)
		w.check(err)
		bob := in.Users[0]
		w.ids["bob"] = bob
		w.verify(bob)
		w.say("ada", docs.ChangeRequest{}, w.mention("bob")+": buy this")
		w.work()
		if got := w.mails("bob"); len(got) != 0 {
			t.Errorf("a mail came: %s", got[0].Text)
		}
		if got := w.kinds("bob"); len(got) != 1 {
			t.Errorf("in the inbox: %v", got)
		}
		w.check(w.Orgs.Members.Ping(t.Context(), &authz.Grant{Actor: authz.Actor{User: bob}}, w.org))
		w.say("ada", docs.ChangeRequest{}, w.mention("bob")+": welcome")
		w.work()
		if got := w.mails("bob"); len(got) != 1 || !strings.Contains(got[0].Text, "welcome") {
			t.Errorf("%d mails to a member", len(got))
		}
	})
}

// Addresses in titles and names are not in the subjects of mails.
func TestSubjectsHaveNoAddresses(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t))
	w.join(w.org, docs.Review, "rev", "ann")
	_, err := w.Orgs.Accounts.Update(t.Context(), authz.OperatorGrant(w.ids["ann"]), w.ids["ann"], orgs.UserPatch{DisplayName: opt.Of("ann@evil.example")})
	w.check(err)
	w.ask("ann", w.request("ann", "Win at evil.example"), "rev")
	w.work()
	got := w.mails("rev")
	if len(got) != 1 || got[0].Subject != "Somebody asks you for a review: Change request #1" || !strings.Contains(got[0].Text, "ann@\u2060evil.\u2060example") {
		t.Errorf("%+v", got)
	}
}

func TestAMailQuotesShortly(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t))
	w.join(w.org, docs.Edit, "bob")
	w.say("ada", docs.ChangeRequest{}, "Dear "+w.mention("bob")+", *see* [this](https://evil.example/)\n\n# now\n\n"+strings.Repeat("é ", 2000))
	w.work()
	got := w.mails("bob")
	if len(got) != 1 {
		t.Fatalf("%d mails", len(got))
	}
	_, quote, _ := strings.Cut(got[0].Text, "\n> ")
	quote, _, _ = strings.Cut(quote, "\n")
	if n := len([]rune(quote)); n < 299 || n > 300 || !strings.HasPrefix(quote, "Dear bob, see this now é é") || strings.Contains(quote, "http") {
		t.Errorf("%d characters: %s", n, quote)
	}
}

// Requesting a review can set the description. Whoever is asked and mentioned learns of the request.
func TestAReviewRequestMentions(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o)
		w.join(w.org, docs.Review, "bob", "rev")
		cr := w.request("ada", "Words")
		text := "Ask " + w.mention("bob") + " or " + w.mention("rev")
		ask := func() {
			_, _, err := w.Reviews.RequestReviews(t.Context(), w.on("ada", authz.EditSpace), string(cr.ID), reviews.ReviewRequest{
				Users: []docs.UserID{w.ids["rev"]}, Patch: reviews.Patch{Description: &revision.Body{Markdown: &text}},
			})
			w.check(err)
			w.work()
		}
		ask()
		if got := w.kinds("bob"); !slices.Equal(got, []docs.NoticeKind{docs.NoticeMentioned}) {
			t.Errorf("bob has %q", got)
		}
		if got := w.kinds("rev"); !slices.Equal(got, []docs.NoticeKind{docs.NoticeReviewRequested}) {
			t.Errorf("rev has %q", got)
		}
		ask()
		if got := w.kinds("bob"); len(got) != 1 {
			t.Errorf("bob is mentioned once, and has %q", got)
		}
	})
}

// A user who loses access between the event and the mail sees nothing, by mail or in the inbox.
func TestNothingToWhoLostTheRight(t *testing.T) {
	for name, lose := range map[string]func(w *world){
		"level of the space": func(w *world) {
			_, _, err := w.Spaces.Update(w.t.Context(), w.on("ada", authz.AdminSpace), spaces.SpacePatch{Level: opt.Of(docs.LevelNone)})
			w.check(err)
		},
		"removed": func(w *world) {
			w.check(w.Orgs.Members.Remove(w.t.Context(), authz.OperatorGrant(w.ids["ada"]), w.org, w.ids["bob"]))
		},
		"deactivated": func(w *world) {
			_, err := w.Orgs.Members.SetDisabled(w.t.Context(), authz.OperatorGrant(w.ids["ada"]), w.org, w.ids["bob"], true)
			w.check(err)
		},
		"deleted": func(w *world) { w.check(w.Spaces.Delete(w.t.Context(), w.on("ada", authz.AdminSpace))) },
	} {
		t.Run(name, func(t *testing.T) {
			testdb.Each(t, func(t *testing.T, o store.Options) {
				w := newWorld(t, o)
				w.join(w.org, docs.Edit, "bob")
				w.choose("bob", docs.NoticeMentioned, docs.ChannelDigest)
				w.say("ada", docs.ChangeRequest{}, w.mention("bob")+": the secret")
				w.work()
				if got := w.kinds("bob"); len(got) != 1 {
					t.Fatalf("%v", got)
				}
				lose(w)
				w.later(24 * time.Hour)
				if got := w.mails("bob"); len(got) != 0 {
					t.Errorf("a mail came: %s", got[0].Text)
				}
				if got := w.kinds("bob"); len(got) != 0 {
					t.Errorf("in the inbox: %v", got)
				}
			})
		})
	}
}

func TestDigestsCollapse(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o)
		w.join(w.org, docs.Review, "ann", "bob", "cat")
		first, second := w.request("ann", "First"), w.request("ann", "Second")
		for i := range 5 {
			w.say([]string{"bob", "cat"}[i%2], first, "Hello")
		}
		w.say("bob", second, "Only one")
		_, err := w.Reviews.Merge(t.Context(), w.on("ada", authz.MergeSpace), string(second.ID))
		w.check(err)
		w.say("ann", first, "I wrote something myself")
		w.later(time.Hour)
		if n := len(w.mails("ann")); n != 0 {
			t.Fatalf("%d mails before the time of the digest", n)
		}
		w.later(24 * time.Hour) // includes 8 o'clock of the next day
		got := w.mails("ann")
		if len(got) != 1 {
			t.Fatalf("%d mails", len(got))
		}
		for _, want := range []string{
			"* First (#1 in Guide)\n  5 comments by bob and cat\n", "* Second (#2 in Guide)\n  bob commented on your change request. ada merged your change request\n",
		} {
			if !strings.Contains(got[0].Text, want) {
				t.Errorf("no %q in\n%s", want, got[0].Text)
			}
		}
		if got[0].Subject != "7 notifications from docs.octavo.example" || strings.Count(got[0].HTML, "<li") != 2 {
			t.Errorf("%s\n%s", got[0].Subject, got[0].HTML)
		}
		w.later(48 * time.Hour)
		if n := len(w.mails("ann")); n != 1 {
			t.Errorf("%d mails", n)
		}
	})
}

// A waiting digest moves with the time that the user chooses. It omits notices that were read
// meanwhile.
func TestDigestsFollowTheirPerson(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o)
		w.join(w.org, docs.Review, "ann", "bob")
		cr := w.request("ann", "Words")
		w.say("bob", cr, "One")
		w.say("bob", cr, "Two")
		w.work()
		_, err := w.Inbox.UpdateSettings(t.Context(), w.me("ann"), func(n docs.Notifications) (docs.Notifications, error) {
			n.Digest = docs.Digest{Period: docs.DigestWeekly, Hour: 17, Weekday: time.Friday, Zone: "Europe/Paris"}
			return n, nil
		})
		w.check(err)
		w.later(3 * 24 * time.Hour)
		list, _, err := w.Inbox.List(w.me("ann"), inbox.Filter{}).Page(t.Context(), store.Page{Limit: 1})
		w.check(err)
		if _, err := w.Inbox.Mark(t.Context(), w.me("ann"), list[0].ID, true); err != nil || len(w.mails("ann")) != 0 {
			t.Fatalf("%d mails before Friday, %v", len(w.mails("ann")), err)
		}
		w.later(27*time.Hour + 31*time.Minute) // 17:01 in Paris
		if got := w.mails("ann"); len(got) != 1 || !strings.Contains(got[0].Text, "> One") {
			t.Errorf("%+v", got)
		}
	})
}

// Many events at once cause one mail and then one more, whichever users cause them.
func TestMailsAtOnceHaveAGap(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o)
		w.join(w.org, docs.Edit, "bob")
		for i := range 3 {
			w.say("ada", docs.ChangeRequest{}, fmt.Sprintf("%d %s", i, w.mention("bob")))
			w.work()
		}
		if n := len(w.mails("bob")); n != 1 {
			t.Errorf("%d mails", n)
		}
		w.later(2 * time.Minute)
		if got := w.mails("bob"); len(got) != 2 || got[1].Subject != "2 notifications: Guide" || !strings.Contains(got[1].Text, "2 mentions of you by ada") {
			t.Errorf("%+v", got)
		}
	})
}

func TestAMailServerThatIsDownLosesNothing(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t))
	w.join(w.org, docs.Edit, "bob")
	w.smtp.Refuse(true)
	w.say("ada", docs.ChangeRequest{}, w.mention("bob"))
	w.later(time.Minute)
	w.smtp.Refuse(false)
	w.later(3 * time.Hour)
	if n := len(w.mails("bob")); n != 1 {
		t.Errorf("%d mails", n)
	}
}

func TestNoMailToAnAddressThatNobodyProved(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t))
	w.join(w.org, docs.Edit, "bob")
	w.check(w.Store.Do(t.Context(), func(tx *store.Tx) error {
		u, err := tx.User(t.Context(), w.ids["bob"])
		w.check(err)
		u.Verified = false
		return tx.PutUser(t.Context(), u)
	}))
	w.say("ada", docs.ChangeRequest{}, w.mention("bob"))
	w.work()
	if got := w.kinds("bob"); len(w.mails("bob")) != 0 || len(got) != 1 {
		t.Errorf("%d mails, %v", len(w.mails("bob")), got)
	}
}

func TestUnsubscribe(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o)
		w.join(w.org, docs.Edit, "bob")
		w.say("ada", docs.ChangeRequest{}, w.mention("bob"))
		w.work()
		_, key, _ := strings.Cut(strings.Trim(w.mails("bob")[0].Header.Get("List-Unsubscribe"), "<>"), "key=")
		for _, bad := range []string{"", "x", key[:len(key)-1], key + "A"} {
			if err := w.Inbox.Unsubscribe(t.Context(), bad, "test"); err == nil {
				t.Errorf("%q is accepted", bad)
			}
		}
		for range 2 { // a repetition changes nothing
			w.check(w.Inbox.Unsubscribe(t.Context(), key, "test"))
		}
		n, err := w.Inbox.Settings(t.Context(), w.me("bob"))
		w.check(err)
		if n.By(docs.NoticeMentioned) != docs.ChannelInbox || n.By(docs.NoticeReplied) != docs.ChannelMail {
			t.Errorf("%+v", n)
		}
		w.say("ada", docs.ChangeRequest{}, w.mention("bob"))
		w.later(time.Hour)
		if got := w.kinds("bob"); len(w.mails("bob")) != 1 || len(got) != 2 {
			t.Errorf("%d mails, %v", len(w.mails("bob")), got)
		}
	})
}

func TestTwoOrganizations(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o)
		w.join(w.org, docs.Edit, "bob")
		w.say("ada", docs.ChangeRequest{}, w.mention("bob"))
		beta := w.organization("ada", "Beta")
		w.join(beta, docs.Edit, "bob")
		acme := w.space
		w.space = w.newSpace("ada", beta, "Manual")
		w.say("ada", docs.ChangeRequest{}, w.mention("bob"))
		w.work()
		for _, c := range []struct {
			org  docs.OrgID
			want []docs.SpaceID
		}{{"", []docs.SpaceID{w.space, acme}}, {w.org, []docs.SpaceID{acme}}, {beta, []docs.SpaceID{w.space}}} {
			items, _, err := w.Inbox.List(w.me("bob"), inbox.Filter{Org: c.org}).Page(t.Context(), store.Page{Limit: 10})
			w.check(err)
			var got []docs.SpaceID
			for _, it := range items {
				got = append(got, it.Space)
			}
			slices.Sort(got)
			slices.Sort(c.want)
			if !slices.Equal(got, c.want) {
				t.Errorf("in %q: %v, want %v", c.org, got, c.want)
			}
		}
		w.check(w.Orgs.Members.Remove(t.Context(), authz.OperatorGrant(w.ids["ada"]), w.org, w.ids["bob"]))
		if got := w.kinds("bob"); len(got) != 1 {
			t.Errorf("%v", got)
		}
	})
}

// Two nodes that work at the same time write each notice once and send one mail.
func TestTwoNodesSendOneMail(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o)
		w.join(w.org, docs.Edit, "bob")
		for range 10 {
			w.say("ada", docs.ChangeRequest{}, w.mention("bob"))
		}
		var nodes sync.WaitGroup
		for range 4 {
			r := w.runner()
			nodes.Go(func() {
				for {
					if did, err := r.RunOne(t.Context()); err != nil || !did {
						return
					}
				}
			})
		}
		nodes.Wait()
		w.work()
		w.later(2 * time.Minute)
		reported := 0
		for _, m := range w.mails("bob") {
			reported++
			var n int
			if _, err := fmt.Sscanf(m.Subject, "%d notifications", &n); err == nil {
				reported += n - 1
			}
		}
		if got := w.kinds("bob"); len(got) != 10 || reported != 10 || len(w.mails("bob")) > 2 {
			t.Errorf("%d notices; %d mails report %d", len(got), len(w.mails("bob")), reported)
		}
	})
}

func TestNoticesEnd(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o)
		w.join(w.org, docs.Edit, "bob")
		other := w.organization("bob", "Bob's")
		elsewhere := w.newSpace("bob", other, "Mine")
		w.check(w.Store.Do(t.Context(), func(tx *store.Tx) error {
			n := docs.Notice{User: w.ids["bob"], ID: "00000", Kind: docs.NoticeMentioned, Actor: w.ids["ada"], Space: elsewhere, At: tx.Now()}
			if err := tx.AddNotice(t.Context(), n); err != nil { // the oldest one
				return err
			}
			for i := range docs.MaxNotices + 5 {
				n := docs.Notice{User: w.ids["bob"], ID: docs.NoticeID(fmt.Sprintf("0%04d", i+1)), Kind: docs.NoticeMentioned, Actor: w.ids["ada"], Space: w.space, At: tx.Now()}
				if err := tx.AddNotice(t.Context(), n); err != nil {
					return err
				}
			}
			return nil
		}))
		w.say("ada", docs.ChangeRequest{}, w.mention("bob"))
		w.work()
		count := func() int64 {
			n, err := w.Inbox.List(w.me("bob"), inbox.Filter{}).Count(t.Context())
			w.check(err)
			return n
		}
		if n := count(); n != docs.MaxNotices+1 {
			t.Errorf("%d notices", n)
		}
		left, err := w.Inbox.List(w.me("bob"), inbox.Filter{Org: other}).Count(t.Context())
		w.check(err)
		if left != 1 {
			t.Errorf("%d notices of an organization where nothing happened", left)
		}
		if n, err := w.Inbox.MarkAll(t.Context(), w.me("bob"), inbox.Filter{}); err != nil || n != docs.MaxNotices+1 {
			t.Errorf("%d notices read; %v", n, err)
		}
		if n, err := w.Inbox.MarkAll(t.Context(), w.me("bob"), inbox.Filter{}); err != nil || n != 0 {
			t.Errorf("%d notices read again; %v", n, err)
		}
		w.now = w.now.Add(docs.NoticeTime + time.Hour)
		w.check(w.Inbox.Tidy(t.Context(), nil))
		if n := count(); n != 0 {
			t.Errorf("%d old notices", n)
		}
	})
}
