package conversations_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/jobs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/support/conversations"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testservices"
	"github.com/octavo-docs/octavo/internal/web/services"
)

// world is an organization that keeps conversations.
type world struct {
	t   testing.TB
	s   *conversations.Service
	sv  *services.Services
	g   *authz.Grant
	org docs.OrgID
	now time.Time
}

// each runs a test on both databases.
func each(t *testing.T, test func(w *world)) {
	testdb.Each(t, func(t *testing.T, o store.Options) { test(newWorld(t, o)) })
}

func newWorld(t testing.TB, o store.Options) *world {
	t.Helper()
	ctx := context.Background()
	w := &world{t: t, now: time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC)}
	o.Clock = func() time.Time { return w.now }
	st := testdb.Open(t, o)
	sv := testservices.New(t, st, services.Settings{})
	b, err := sv.Orgs.Operator.Bootstrap(ctx, "ada@octavo.example", "Acme", "test")
	if err != nil {
		t.Fatal(err)
	}
	w.s, w.sv, w.org = sv.Conversations, sv, b.Organization
	if w.g, err = authz.OnBehalfInOrg(ctx, st, authz.Actor{User: b.User}, authz.IngestConvo, b.Organization); err != nil {
		t.Fatal(err)
	}
	return w
}

// ingest stores conversations of a source.
func (w *world) ingest(source string, in ...conversations.Input) {
	w.t.Helper()
	if err := w.s.Ingest(context.Background(), w.g, source, in); err != nil {
		w.t.Fatal(err)
	}
}

// analyse runs the job of the organization, if it is queued.
func (w *world) analyse() {
	w.t.Helper()
	r := jobs.New(w.s.Store, slog.New(slog.DiscardHandler))
	r.Handle(conversations.AnalyseJob, w.s.Analyse)
	if _, err := r.RunOnly(context.Background(), conversations.AnalyseJob, string(w.org)); err != nil {
		w.t.Fatal(err)
	}
}

func asked(id, text string, at time.Time) conversations.Input {
	return conversations.Input{ID: id, CreatedAt: docs.TimeOf(at), Parts: []docs.ConversationPart{{Role: docs.ConversationUser, Body: text}}}
}

// clusters returns the cluster of each conversation with an issue.
func (w *world) clusters() map[docs.ConversationID]docs.ClusterID {
	w.t.Helper()
	out := map[docs.ConversationID]docs.ClusterID{}
	err := w.s.Store.EachIssue(context.Background(), w.org, 10000, func(i docs.ConversationIssue) { out[i.Conversation] = i.Cluster })
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

var questions = []string{
	"How do I export the space to PDF?", "The PDF export is empty.", "Why does the export to PDF stop halfway?",
	"How do I invite a colleague?", "The invitation to the team never arrives.", "Can I invite guests to our team?",
	"I forgot my password.", "The password reset mail is missing.", "Wie setze ich mein Passwort zurück?",
	"Our webhook gets no events.", "Webhook deliveries fail with a timeout.", "How do I check the signature of a webhook?",
	"Pages load very slowly.", "The editor is slow on long pages.", "Why is everything so slow today?",
}

func numbered() (out []conversations.Input) {
	begin := time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
	for n := range 45 {
		out = append(out, asked(fmt.Sprintf("c%02d", n), questions[n*7%len(questions)]+fmt.Sprintf(" Ticket %d.", n), begin.Add(time.Duration(n)*time.Hour)))
	}
	return out
}

// A source cannot take the id that a conversation of another source has or will have.
func TestIDsOfTwoSources(t *testing.T) {
	each(t, func(w *world) {
		find := func(source string) docs.Conversation {
			w.t.Helper()
			list, _, err := w.s.Conversations(w.org, source).Page(context.Background(), store.Page{Limit: 10})
			if err != nil || len(list) != 1 {
				w.t.Fatalf("%d conversations of %s: %v", len(list), source, err)
			}
			return list[0]
		}
		w.ingest("integration:a:1", asked("x", "First?", w.now))
		w.ingest("integration:b:1", asked("x", "Second?", w.now))
		derived := find("integration:b:1").ID
		if err := w.s.Delete(context.Background(), w.g, derived); err != nil {
			w.t.Fatal(err)
		}
		w.ingest("integration:mallory:1", asked(string(derived), "Mine now?", w.now))
		w.ingest("integration:b:1", asked("x", "Second?", w.now))
		for source, text := range map[string]string{"integration:a:1": "First?", "integration:b:1": "Second?", "integration:mallory:1": "Mine now?"} {
			_, parts, err := w.s.Conversation(context.Background(), w.org, find(source).ID)
			if err != nil || parts[0].Body != text {
				w.t.Errorf("%s: %v, %v", source, parts, err)
			}
		}
	})
}

// Conversations that arrive in three different orders, in parts that are analysed at once or
// one after the other, end in the same clusters with the same ids.
func TestOrdersOfArrivalHaveTheSameClusters(t *testing.T) {
	all := numbered()
	orders := [][]conversations.Input{all, slices.Clone(all), nil}
	slices.Reverse(orders[1])
	for n := range all {
		orders[2] = append(orders[2], all[n*13%len(all)])
	}
	var want map[docs.ConversationID]docs.ClusterID
	for n, order := range orders {
		w := newWorld(t, testdb.SQLite(t))
		for part := range slices.Chunk(order, 20-5*n) {
			w.ingest("email", part...)
			w.analyse()
		}
		got := w.clusters()
		if want == nil {
			want = got
			if kinds := len(slices.Compact(slices.Sorted(maps.Values(got)))); len(got) != len(all) || kinds < 4 || kinds > 15 {
				t.Fatalf("%d conversations in %d clusters", len(got), kinds)
			}
		} else if !maps.Equal(want, got) {
			t.Errorf("order %d: %v, want %v", n, got, want)
		}
	}
}

// Conversations that come later, in the order of time, leave the clusters of others alone.
func TestAnIssueKeepsItsCluster(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t))
	all := numbered()
	w.ingest("email", all[:30]...)
	w.analyse()
	before := w.clusters()
	w.ingest("email", all[30:]...)
	w.analyse()
	moves, _, err := w.s.Store.ClusterMoves(context.Background(), w.org, store.Page{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	moved := map[docs.ClusterID]docs.ClusterID{}
	for _, m := range moves {
		moved[m.From] = m.Into
	}
	after := w.clusters()
	for id, was := range before {
		if after[id] != was && moved[was] != after[id] {
			t.Errorf("%s went from %s to %s, and nothing says so", id, was, after[id])
		}
	}
}

// A late conversation that is the oldest of a cluster becomes its founder, and changes the
// ID of the cluster. The recorded move leads from the old ID to the new one, and change
// requests follow.
func TestMergesAreRecorded(t *testing.T) {
	each(t, func(w *world) {
		ctx := context.Background()
		at := time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
		w.ingest("email", asked("later", "The PDF export is empty.", at.Add(time.Hour)))
		w.analyse()
		old := w.clusters()["later"]
		w.ingest("email", asked("first", "Why is the PDF export empty?", at))
		w.analyse()
		now := w.clusters()
		if now["first"] != now["later"] || now["first"] == old {
			w.t.Fatalf("%v, before %s", now, old)
		}
		k, err := w.s.Cluster(ctx, w.org, old)
		if err != nil || k.Cluster.ID != now["first"] || k.Cluster.Issues != 2 {
			w.t.Errorf("the old id leads to %+v: %v", k.Cluster, err)
		}
		if _, err := w.s.Cluster(ctx, w.org, "none"); !errs.Is(err, errs.NotFound) {
			w.t.Error(err)
		}
		if err := w.s.Delete(ctx, w.g, "first"); err != nil {
			w.t.Fatal(err)
		}
		w.analyse()
		if got := w.clusters()["later"]; got != old {
			w.t.Errorf("alone again, it is in %s, want %s", got, old)
		}
		if k, err := w.s.Cluster(ctx, w.org, old); err != nil || k.Cluster.Issues != 1 {
			w.t.Errorf("%+v: %v", k.Cluster, err)
		}
	})
}

// The pulse equals a count by hand.
func TestPulseIsExact(t *testing.T) {
	each(t, func(w *world) {
		end := time.Date(2026, 6, 16, 0, 0, 0, 0, time.UTC) // of the day of the clock
		var in []conversations.Input
		var want [conversations.Weeks]int64
		for n := range 200 {
			at := end.Add(-time.Duration(n*n) * 17 * time.Minute).Add(-time.Millisecond)
			if n%50 == 0 { // exactly where a week begins, and one moment before
				at = end.Add(-time.Duration(n/50+1) * 7 * 24 * time.Hour)
			}
			in = append(in, asked(fmt.Sprint(n), "Why does the webhook fail?", at))
			for k := range conversations.Weeks { // the naive count
				from := end.Add(-time.Duration(conversations.Weeks-k) * 7 * 24 * time.Hour)
				if !at.Before(from) && at.Before(from.Add(7*24*time.Hour)) {
					want[k]++
				}
			}
		}
		w.ingest("email", in...)
		w.analyse()
		list := w.s.Clusters(w.org, store.ClusterFilter{})
		all, _, err := list.Page(context.Background(), store.Page{Limit: 10})
		if err != nil || len(all) != 1 || all[0].Pulse != want || want[0] == 0 {
			w.t.Errorf("%v: %+v, want %v", err, all, want)
		}
	})
}

// Sending a conversation again changes nothing. An earlier copy that arrives late removes
// no message. A longer copy replaces the stored one.
func TestIngestingAgain(t *testing.T) {
	each(t, func(w *world) {
		ctx := context.Background()
		at := time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
		short := asked("1", "How do I export to PDF?", at)
		long := short
		long.Parts = append(slices.Clone(short.Parts), docs.ConversationPart{Role: docs.ConversationTeamMember, Body: "In the menu."})
		for _, in := range []conversations.Input{long, long, short} {
			w.ingest("email", in)
			v, parts, err := w.s.Conversation(ctx, w.org, "1")
			if err != nil || len(parts) != 2 || v.Version != 1 {
				w.t.Fatalf("%+v %v: %v", v, parts, err)
			}
		}
		w.analyse()
		issue := w.clusters()
		long.Parts = append(long.Parts, docs.ConversationPart{Role: docs.ConversationUser, Body: "Thanks!"})
		w.ingest("email", long)
		if v, parts, err := w.s.Conversation(ctx, w.org, "1"); err != nil || len(parts) != 3 || v.Version != 2 || !v.ProcessedAt.IsZero() {
			w.t.Errorf("%+v: %v", v, err)
		}
		w.analyse()
		if !maps.Equal(issue, w.clusters()) {
			w.t.Errorf("the issue moved: %v, %v", issue, w.clusters())
		}
		err := w.s.Ingest(ctx, w.g, "email", []conversations.Input{asked("big", strings.Repeat("x", conversations.MaxText+1), at)})
		if !errs.Is(err, errs.Invalid) || !strings.Contains(err.Error(), "1 MB") {
			w.t.Errorf("a conversation that is too large: %v", err)
		}
	})
}

// hooked returns how an event of Zendesk is received.
func (w *world) hooked() func(body string) error {
	hook := conversations.Hook{Org: w.org, Format: "zendesk", Source: "integration:zendesk:webhook", User: w.g.Actor.User}
	return func(body string) error {
		w.t.Helper()
		return w.s.Receive(context.Background(), hook, authz.Actor{}, func(string) string { return "" }, []byte(body))
	}
}

// An event of a help desk does not restore a deleted conversation, but ingesting the whole
// conversation does. The tombstone expires after a year.
func TestADeletedConversationStaysDeleted(t *testing.T) {
	each(t, func(w *world) {
		ctx := context.Background()
		send := w.hooked()
		exists := func(want bool) {
			w.t.Helper()
			if _, _, err := w.s.Conversation(ctx, w.org, "7"); err == nil != want {
				w.t.Errorf("exists: %v", err)
			}
		}
		must := func(err error) {
			w.t.Helper()
			if err != nil {
				w.t.Fatal(err)
			}
		}
		const event = `{"ticket": {"id": 7, "description": "It fails."}}`
		must(send(event))
		exists(true)
		must(w.s.Delete(ctx, w.g, "7"))
		must(send(event))
		exists(false)
		w.ingest("integration:zendesk:webhook", asked("7", "It fails.", w.now))
		exists(true)
		must(send(event))
		must(w.s.Delete(ctx, w.g, "7"))
		w.now = w.now.Add(364 * 24 * time.Hour)
		must(send(event))
		exists(false)
		w.now = w.now.Add(2 * 24 * time.Hour)
		must(send(event))
		exists(true)
	})
}

// An event has less data about a conversation than is stored, and a user can write the same
// text twice.
func TestEventsAreMerged(t *testing.T) {
	each(t, func(w *world) {
		ctx := context.Background()
		send := w.hooked()
		const source = "integration:zendesk:webhook"
		at := docs.TimeOf(w.now.Add(-time.Hour))
		user := docs.ConversationPart{Role: docs.ConversationUser, Body: "Any news?"}
		w.ingest(source, conversations.Input{
			ID: "7", Subject: "Export", URL: "https://desk.example/7", CreatedAt: at, Attributes: map[string]string{"plan": "pro"}, Parts: []docs.ConversationPart{user},
		})
		comment := func(id string) string {
			return `{"type": "zen:event-type:ticket.comment_added", "detail": {"id": 7, "requester_id": 9, "description": "Any news?"},
				"event": {"comment": {"id": ` + id + `, "body": "Any news?", "author": {"id": 9}}}}`
		}
		for _, event := range []string{comment("1"), comment("2"), comment("1"), comment("2")} {
			if err := send(event); err != nil {
				w.t.Fatal(err)
			}
		}
		v, parts, err := w.s.Conversation(ctx, w.org, "7")
		if err != nil {
			w.t.Fatal(err)
		}
		if v.URL != "https://desk.example/7" || v.Subject != "Export" || v.CreatedAt != at || v.Attributes["plan"] != "pro" {
			w.t.Errorf("something was dropped: %+v", v)
		}
		if len(parts) != 3 {
			w.t.Errorf("the messages are %+v", parts)
		}
	})
}

// The limits of the API also apply to the input of help desks. (security d7, d10)
func TestEventsAreBounded(t *testing.T) {
	each(t, func(w *world) {
		hook := conversations.Hook{Org: w.org, Format: "zendesk", Source: "integration:zendesk:webhook", User: w.g.Actor.User}
		send := func(id string, from, n int) error {
			var comments []map[string]any
			for i := range n {
				comments = append(comments, map[string]any{"body": fmt.Sprint(from + i)})
			}
			body, err := json.Marshal(map[string]any{"ticket": map[string]any{"id": id, "description": "It fails.", "comments": comments}})
			if err != nil {
				w.t.Fatal(err)
			}
			return w.s.Receive(context.Background(), hook, authz.Actor{}, func(string) string { return "" }, body)
		}
		if err := send("1", 0, 600); err != nil {
			w.t.Fatal(err)
		}
		for name, err := range map[string]error{
			"many messages":            send("2", 0, 5000),
			"many messages in the end": send("1", 1000, 600),
			"a long id":                send(strings.Repeat("x", 300), 0, 1),
			"a NUL in the id":          send("a\x00b", 0, 1),
		} {
			if !errs.Is(err, errs.Invalid) {
				w.t.Errorf("%s: %v", name, err)
			}
		}
	})
}
