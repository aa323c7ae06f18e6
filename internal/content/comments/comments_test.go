package comments_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/comments"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	_ "github.com/octavo-docs/octavo/internal/testing/testrapid"
)

// room is an organization with users of different roles.
type room struct {
	s      *store.Store
	c      *comments.Service
	sp     *spaces.Service
	org    docs.OrgID
	people map[string]docs.UserID // by role
}

func newRoom(t *testing.T, o store.Options) *room {
	t.Helper()
	ctx := t.Context()
	s := testdb.Open(t, o)
	pages := content.New(content.Config{Store: s, Blobs: testdb.Blobs(t), BaseURL: "http://octavo.test"})
	r := &room{
		s: s, c: &comments.Service{Store: s, Content: pages}, sp: &spaces.Service{Store: s, Content: pages},
		people: map[string]docs.UserID{},
	}
	b, err := orgs.New(s, orgs.Config{}).Operator.Bootstrap(ctx, "ada@octavo.example", "Acme", "test")
	if err != nil {
		t.Fatal(err)
	}
	r.org, r.people["admin"] = b.Organization, b.User
	for name, role := range map[string]docs.Role{"edit": docs.Edit, "comment": docs.Comment, "comment too": docs.Comment} {
		email := fmt.Sprintf("p%d@octavo.example", len(r.people))
		in, err := orgs.New(s, orgs.Config{}).Members.Invite(ctx, authz.OperatorGrant(b.User), b.Organization, []orgs.Invitee{{Email: email, Role: role}}, false)
		if err != nil {
			t.Fatal(err)
		}
		r.people[name] = in.Users[0]
	}
	return r
}

// failer is the interface that rapid tests and plain tests have in common.
type failer interface{ Fatal(...any) }

func (r *room) space(t failer) docs.SpaceID {
	ctx := context.Background()
	top, _, err := authz.NewChecker(r.s.Reader).Org(ctx, authz.Actor{User: r.people["admin"]}, authz.CreateContent, r.org)
	if err != nil {
		t.Fatal(err)
	}
	sp, _, err := r.sp.Create(ctx, top, spaces.NewSpace{Title: "Handbook"})
	if err != nil {
		t.Fatal(err)
	}
	return sp.ID
}

func (r *room) request(t failer, id docs.SpaceID) docs.ChangeRequestID {
	ctx := context.Background()
	cr, err := store.InTx(ctx, r.s, func(tx *store.Tx) (docs.ChangeRequest, error) {
		sp, err := tx.Space(ctx, id)
		if err != nil {
			return docs.ChangeRequest{}, err
		}
		n, err := tx.NextNumber(ctx, id)
		if err != nil {
			return docs.ChangeRequest{}, err
		}
		rev := sp.It.Revision
		cr := docs.ChangeRequest{
			ID: store.NewID[docs.ChangeRequestID](tx), Space: id, Number: n, Status: docs.ChangeOpen, CreatedBy: docs.User{ID: r.people["admin"]},
			CreatedAt: tx.Now(), UpdatedAt: tx.Now(), Revision: rev, Initial: rev, Ancestor: rev,
		}
		return cr, tx.AddChangeRequest(ctx, cr)
	})
	if err != nil {
		t.Fatal(err)
	}
	return cr.ID
}

// expected is the expected state of a comment.
type expected struct {
	id        docs.CommentID
	at        string // change request; empty: the space
	by        string
	open      bool
	replies   map[docs.ReplyID]string          // author
	reactions map[docs.ReplyID]map[string]bool // set of "emoji person" by reply; the empty id is the comment
}

// The stored comments and counters match the operations that succeeded, for any sequence
// of posts, changes, deletions and reactions by users with and without the rights.
func TestCountersAndPeople(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		r := newRoom(t, o)
		rapid.Check(t, func(t *rapid.T) { r.talk(t) })
	})
}

func (r *room) talk(t *rapid.T) {
	ctx := context.Background()
	id := r.space(t)
	places := []string{"", string(r.request(t, id)), string(r.request(t, id))}
	names := slices.Sorted(maps.Keys(r.people))
	var all []*expected
	wrote := map[string]int{} // contributions by change request and person
	text := func(s string) revision.Body { return revision.Body{Markdown: &s} }
	expect := func(err error, allowed bool, what, who string) bool {
		switch {
		case allowed && err != nil:
			t.Fatalf("%s as %s: %v", what, who, err)
		case !allowed && !errs.Is(err, errs.Forbidden):
			t.Fatalf("%s as %s is not forbidden: %v", what, who, err)
		}
		return allowed
	}
	for range rapid.IntRange(1, 30).Draw(t, "steps") {
		who := rapid.SampledFrom(names).Draw(t, "who")
		user := r.people[who]
		g, _, err := authz.NewChecker(r.s.Reader).Space(ctx, authz.Actor{User: user}, authz.CommentSpace, id)
		if err != nil {
			t.Fatal(err)
		}
		if len(all) == 0 || rapid.IntRange(0, 3).Draw(t, "new") == 0 {
			at := rapid.SampledFrom(places).Draw(t, "place")
			c, err := r.c.Post(ctx, g, at, comments.New{Body: text("Hello"), Path: "body.body"})
			expect(err, true, "post", who)
			all = append(all, &expected{c.ID, at, who, true, map[docs.ReplyID]string{}, map[docs.ReplyID]map[string]bool{}})
			wrote[at+who]++
			continue
		}
		c := rapid.SampledFrom(all).Draw(t, "comment")
		reply := docs.ReplyID("")
		if len(c.replies) > 0 && rapid.Bool().Draw(t, "reply") {
			reply = rapid.SampledFrom(slices.Sorted(maps.Keys(c.replies))).Draw(t, "which")
		}
		change := func(ch comments.Change) error {
			if reply != "" {
				_, err := r.c.UpdateReply(ctx, g, c.at, c.id, reply, ch)
				return err
			}
			_, err := r.c.Update(ctx, g, c.at, c.id, ch)
			return err
		}
		author := c.by
		if reply != "" {
			author = c.replies[reply]
		}
		switch act := rapid.SampledFrom([]string{"reply", "resolve", "reopen", "edit", "delete", "react", "unreact"}).Draw(t, "act"); act {
		case "reply":
			a, err := r.c.Reply(ctx, g, c.at, c.id, text("Yes"))
			expect(err, true, act, who)
			c.replies[a.ID] = who
			wrote[c.at+who]++
		case "resolve", "reopen":
			err := change(comments.Change{Resolved: opt.Of(act == "resolve")})
			if expect(err, who == c.by || who == "edit" || who == "admin", act, who) {
				c.open = act == "reopen"
			}
		case "edit":
			body := text("Hello again")
			expect(change(comments.Change{Body: &body}), who == author || who == "admin", act, who)
		case "delete":
			if reply == "" {
				if expect(r.c.Delete(ctx, g, c.at, c.id), who == author || who == "admin", act, who) {
					all = slices.DeleteFunc(all, func(x *expected) bool { return x == c })
				}
			} else if expect(r.c.DeleteReply(ctx, g, c.at, c.id, reply), who == author || who == "admin", act, who) {
				delete(c.replies, reply)
				delete(c.reactions, reply)
			}
		case "react", "unreact":
			emoji := rapid.SampledFrom([]string{"👍", "🎉"}).Draw(t, "emoji")
			ch := comments.Change{Added: []string{emoji}}
			if act == "unreact" {
				ch = comments.Change{Removed: []string{emoji}}
			}
			expect(change(ch), true, act, who)
			if c.reactions[reply] == nil {
				c.reactions[reply] = map[string]bool{}
			}
			c.reactions[reply][emoji+string(user)] = true
			if act == "unreact" {
				delete(c.reactions[reply], emoji+string(user))
			}
		}
	}
	for _, at := range places {
		r.compare(t, id, at, all, wrote)
	}
	sp, err := r.s.Space(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.s.Do(ctx, func(tx *store.Tx) error { return tx.PurgeSpace(ctx, sp.It) }); err != nil {
		t.Fatalf("purge: %v", err)
	}
}

// compare checks that a place has the expected comments.
func (r *room) compare(t *rapid.T, id docs.SpaceID, at string, all []*expected, wrote map[string]int) {
	ctx := context.Background()
	in := docs.Discussion{Space: id, Request: docs.ChangeRequestID(at)}
	open, want := 0, map[docs.CommentID]*expected{}
	for _, c := range all {
		if c.at == at {
			want[c.id] = c
			if c.open {
				open++
			}
		}
	}
	counted := 0
	if at == "" {
		sp, err := r.s.Space(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		counted = sp.It.Counters.OpenComments
	} else {
		cr, err := r.s.ChangeRequest(ctx, id, at)
		if err != nil {
			t.Fatal(err)
		}
		counted = cr.OpenComments
		people, err := r.s.Contributors(ctx, cr.ID)
		if err != nil {
			t.Fatal(err)
		}
		for name, user := range r.people {
			i := slices.IndexFunc(people, func(c docs.Contributor) bool { return c.User.ID == user })
			times := 0
			if i >= 0 {
				times = people[i].Times
			}
			if times != wrote[at+name] {
				t.Fatalf("%s contributed %d times, want %d", name, times, wrote[at+name])
			}
		}
	}
	if counted != open {
		t.Fatalf("%d comments are open, the counter says %d", open, counted)
	}
	for _, f := range []store.CommentFilter{{}, {Asc: true}} {
		var got []docs.PostedComment
		for p := (store.Page{Limit: 3}); ; {
			items, next, err := r.s.Comments(ctx, in, f, p)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, items...)
			if p.After = next; next == nil {
				break
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%d comments are listed, there are %d", len(got), len(want))
		}
		for _, c := range got {
			r.compareComment(t, c, want[c.ID])
		}
	}
	n, err := r.s.CountComments(ctx, in, store.CommentFilter{Status: docs.CommentOpen})
	if err != nil || int(n) != open {
		t.Fatalf("%d open comments are found, %d are open: %v", n, open, err)
	}
}

func (r *room) compareComment(t *rapid.T, c docs.PostedComment, want *expected) {
	ctx := context.Background()
	if c.Open() != want.open || c.PostedBy.ID != r.people[want.by] || c.Replies() != len(want.replies) {
		t.Fatalf("comment %+v, want %+v", c, want)
	}
	if !c.Open() && c.ResolvedBy.Email == "" {
		t.Fatalf("comment %+v: who resolved it is not known", c)
	}
	for _, by := range c.Repliers {
		n := 0
		for _, name := range want.replies {
			if r.people[name] == by.User.ID {
				n++
			}
		}
		if n != by.Times || n == 0 {
			t.Fatalf("%s replied %d times, want %d", by.User.Email, n, by.Times)
		}
	}
	compareReactions(t, c.Reactions, want.reactions[""])
	replies, _, err := r.s.Replies(ctx, c.ID, store.Page{Limit: 100})
	if err != nil || len(replies) != len(want.replies) {
		t.Fatalf("%d replies, want %d: %v", len(replies), len(want.replies), err)
	}
	for _, a := range replies {
		if r.people[want.replies[a.ID]] != a.PostedBy.ID {
			t.Fatalf("reply %+v, want one of %s", a, want.replies[a.ID])
		}
		compareReactions(t, a.Reactions, want.reactions[a.ID])
	}
}

func compareReactions(t *rapid.T, got []docs.Reaction, want map[string]bool) {
	n := 0
	for _, x := range got {
		for _, u := range x.Users {
			n++
			if !want[x.Emoji+string(u.User.ID)] {
				t.Fatalf("%s reacted with %s", u.User.Email, x.Emoji)
			}
		}
	}
	if n != len(want) {
		t.Fatalf("%d reactions, want %d", n, len(want))
	}
}

// A comment of a review can be deleted without the review. The review then has no comment
// any more.
func TestCommentOfAReview(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		r := newRoom(t, o)
		ctx := t.Context()
		id := r.space(t)
		at := r.request(t, id)
		g, _, err := authz.NewChecker(r.s.Reader).Space(ctx, authz.Actor{User: r.people["admin"]}, authz.ReviewSpace, id)
		if err != nil {
			t.Fatal(err)
		}
		text := "Well done"
		review := docs.SubmittedReview{Request: at, Reviewer: docs.User{ID: g.Actor.User}, Status: docs.ReviewApproved}
		c, err := store.InTx(ctx, r.s, func(tx *store.Tx) (docs.PostedComment, error) {
			cr, err := tx.ChangeRequest(ctx, id, string(at))
			if err != nil {
				return docs.PostedComment{}, err
			}
			review.ID = store.NewID[docs.ReviewID](tx)
			if review.Comment, err = r.c.PostReviewComment(ctx, tx, g, cr, review, revision.Body{Markdown: &text}); err != nil {
				return docs.PostedComment{}, err
			}
			if err := tx.AddReview(ctx, review); err != nil {
				return docs.PostedComment{}, err
			}
			return tx.Comment(ctx, docs.Discussion{Space: id, Request: at}, docs.CommentID(review.Comment))
		})
		if err != nil {
			t.Fatal(err)
		}
		found, err := r.s.CommentsByID(ctx, c.In, []docs.CommentID{c.ID, "absent"})
		if err != nil || len(found) != 1 || found[0].Target.Review != review.ID || found[0].In.Request != at {
			t.Fatalf("%+v %v", found, err)
		}
		if err := r.c.Delete(ctx, g, string(at), c.ID); err != nil {
			t.Fatal(err)
		}
		if v, err := r.s.Review(ctx, at, review.ID); err != nil || v.Comment != "" {
			t.Fatalf("%+v %v", v, err)
		}
	})
}
