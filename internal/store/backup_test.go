package store_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/octavo-docs/octavo/internal/authz"
	contents "github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/identity/signin"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// awkward is a text that does not survive a careless round trip.
const awkward = "„Ünïcode“ <&> \\ \" ' \u2028 \t\n 🖋 $1"

// filled returns a store with something in every table, made by the services;
// what has no service yet is made by hand.
func filled(t testing.TB, o store.Options) *store.Store {
	t.Helper()
	s := testdb.Open(t, o)
	ctx := context.Background()
	people := orgs.New(s, orgs.Config{})
	pages := contents.New(contents.Config{Store: s, Blobs: testdb.Blobs(t)})
	content := &spaces.Service{Store: s, Content: pages}
	check := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	b, err := people.Operator.Bootstrap(ctx, "ada@octavo.example", awkward, "label")
	check(b, err)
	check(people.Operator.Bootstrap(ctx, "ada@octavo.example", "Without a hostname", "label"))
	op, org := authz.OperatorGrant(b.User), b.Organization
	by := op.Actor
	check(people.Organizations.Update(ctx, op, org, orgs.OrganizationPatch{
		Hostname: opt.Of("octavo-docs"), EmailDomains: opt.Of([]string{"octavo.example"}), AI: opt.Of(false), SSO: opt.Of(true),
	}))
	check(people.Organizations.SetAgentInstructions(ctx, op, org, []byte(`{"object":"document","data":{},"nodes":[{"object":"block","type":"paragraph","isVoid":false,"data":{},"nodes":[{"object":"text","leaves":[{"object":"leaf","text":"Be brief.","marks":[]}]}]}]}`)))
	invited, err := people.Members.Invite(ctx, op, org, []orgs.Invitee{
		{Email: "grace@octavo.example", Role: docs.Guest}, {Email: "gone@octavo.example", Role: docs.Read},
	}, true)
	check(invited, err)
	check(nil, people.Members.Remove(ctx, op, org, invited.Users[1]))
	team, err := people.Teams.Create(ctx, op, org, awkward, invited.Users[:1])
	check(team, err)
	check(people.InviteLinks.Create(ctx, op, org, docs.InviteLink{Role: docs.Read}))
	check((&signin.Service{Store: s}).LinkFor(ctx, "ada@octavo.example"))
	check(nil, s.Do(ctx, func(tx *store.Tx) error {
		return errors.Join(
			tx.AddPasskey(ctx, docs.Passkey{ID: "key", User: b.User, Label: awkward, Credential: "{}", CreatedAt: tx.Now()}),
			tx.AddPasskeyChallenge(ctx, docs.HashSecret("asked"), "{}", "192.0.2.1/32", tx.Now()),
			tx.PutSAMLProvider(ctx, docs.SAMLProvider{ID: "idp", Org: org, Label: awkward, Groups: map[string]docs.TeamID{awkward: team.ID}}),
		)
	}))
	check((&signin.Service{Store: s}).SignInToOrganization(ctx, signin.Assertion{
		Org: org, Provider: "idp", Method: docs.SignInBySAML, Subject: "grace", Email: "grace@octavo.example", Proved: true, Role: docs.Read,
	}))

	top, _, err := authz.NewChecker(s.Reader).Org(ctx, by, authz.CreateContent, org)
	check(top, err)
	machine, err := people.ServiceAccounts.Create(ctx, top, org, awkward, docs.Edit)
	check(machine, err)
	_, _, err = people.ServiceAccounts.CreateToken(ctx, top, org, machine.User.ID, orgs.NewToken{Label: awkward})
	check(nil, err)

	// A chain of collections whose ends are made first, and one from the top.
	var chain []docs.CollectionID
	for _, title := range []string{"leaf", "inner", "top"} {
		c, _, err := content.CreateCollection(ctx, top, title, "")
		check(c, err)
		chain = append(chain, c.ID)
	}
	allowed := authz.NewChecker(s.Reader)
	for i := range chain[:2] {
		g, _, err := allowed.Collection(ctx, by, authz.AdminCollection, chain[i])
		check(g, err)
		moved, _, err := content.MoveCollection(ctx, g, spaces.Move{Parent: opt.Of(chain[i+1])})
		check(moved, err)
	}
	below, _, err := content.CreateCollection(ctx, top, "below", chain[0])
	check(below, err)

	kept, _, err := content.Create(ctx, top, spaces.NewSpace{Title: awkward, Parent: below.ID, Language: "en"})
	check(kept, err)
	g, _, err := allowed.Space(ctx, by, authz.AdminSpace, kept.ID)
	check(g, err)
	check(nil, content.Share(ctx, g, []string{string(invited.Users[0])}, []docs.TeamID{team.ID}, docs.Edit))
	published := sites.New(s, sites.Config{})
	site, err := published.Create(ctx, top, sites.NewSite{Title: awkward, Spaces: []docs.SpaceID{kept.ID}})
	check(site, err)
	g, _, err = allowed.Site(ctx, by, authz.AdminSite, org, site.ID)
	check(g, err)
	check(published.ShareLinks.Add(ctx, g, awkward))
	check(published.MCPServers.Add(ctx, g, sites.MCPServerPatch{Name: opt.Of(awkward), URL: opt.Of("https://mcp.test/")}))
	check(published.Redirects.Add(ctx, g, sites.RedirectPatch{
		Source: opt.Of("/old/*"), Destination: opt.Of(docs.RedirectDestination{Kind: docs.RedirectExternal, URL: "https://new.test/"}),
	}, nil))
	check(nil, s.Do(ctx, func(tx *store.Tx) error {
		return errors.Join(
			tx.AddUpload(ctx, docs.Upload{Key: "u1", Org: org, Kind: docs.UploadFont, Name: awkward, Size: 9007199254740993, Blob: "b1", CreatedBy: b.User}),
			tx.PutFont(ctx, docs.Font{ID: "f1", Org: org, Family: awkward, Faces: []docs.FontFace{{Weight: 400, Blob: "b1", Format: "woff2"}}}))
	}))
	check(nil, s.Do(ctx, func(tx *store.Tx) error {
		return errors.Join(
			tx.AddOpenAPISpec(ctx, docs.OpenAPISpec{ID: "a1", Org: org, Slug: "pets", Problems: []docs.OpenAPIProblem{{Message: awkward}}, CheckAt: 9007199254740993, CreatedBy: b.User}),
			tx.AddOpenAPIVersion(ctx, docs.OpenAPIVersion{Spec: "a1", ID: "w1", Root: awkward, Files: []docs.OpenAPIFile{{Name: awkward, Blob: "b1"}}, CreatedAt: 9007199254740993}))
	}))
	check(nil, s.Do(ctx, func(tx *store.Tx) error {
		language := docs.Translation{ID: "l1", Org: org, Source: "gone", Result: "gone", Instructions: []byte(awkward), Run: 9007199254740993, CreatedBy: b.User}
		return errors.Join(
			tx.AddTranslation(ctx, language),
			tx.ChangeTranslationBlocks(ctx, language, store.TranslationBlockChange{Add: []docs.TranslationBlock{{ID: "l2", Page: "p", Source: awkward, Text: awkward}}}),
			tx.PutMemory(ctx, org, "en", "es", []docs.MemoryEntry{{Hash: "l3", Source: awkward, Target: awkward}}),
			tx.AddGlossaryEntry(ctx, docs.GlossaryEntry{Org: org, ID: "l4", Translations: map[string]string{"en": awkward}}))
	}))
	check(nil, s.Do(ctx, func(tx *store.Tx) error {
		c := docs.Conversation{Org: org, ID: "c1", Source: "email", External: "c1", Subject: awkward, Attributes: map[string]string{awkward: awkward}, CreatedAt: 9007199254740993}
		err := tx.PutConversation(ctx, c, []docs.ConversationPart{{Role: docs.ConversationUser, Body: awkward}})
		if err == nil {
			_, err = tx.ProcessedConversation(ctx, c, []docs.ConversationIssue{{Org: org, ID: "i1", Conversation: "c1", Source: "email", Title: awkward, Cluster: "k1"}})
		}
		return errors.Join(err,
			tx.AddConversationTombstone(ctx, org, awkward, 0, 10),
			tx.PutClusters(ctx, []docs.ConversationCluster{{Org: org, ID: "k1", Label: awkward, Sources: map[string]int64{"email": 1}}}),
			tx.AddClusterMoves(ctx, []docs.ClusterMove{{Org: org, ID: "move1", Kind: docs.ClusterMerged, From: "k0", Into: "k1", Issues: 1}}))
	}))
	check(published.Update(ctx, g, sites.SitePatch{KeepsQuestions: opt.Of(true)}))
	check(nil, s.Do(ctx, func(tx *store.Tx) error {
		return errors.Join(tx.PutSiteHostname(ctx, docs.SiteHostname{Site: site.ID, Name: "docs.acme.test", Token: awkward, NextCheck: 9007199254740993}),
			tx.PutCertificate(ctx, "docs.acme.test", awkward),
			tx.AddEvents(ctx, []store.EventCount{{EventKey: store.EventKey{Site: site.ID, Day: 20_000, Event: "page_view"}, Events: 9007199254740993}}),
			tx.AddQuestions(ctx, []store.QuestionCount{{Site: site.ID, ID: "q1", Day: 20_000, Question: awkward, Asked: 9007199254740993}}))
	}))
	check(nil, s.Do(ctx, func(tx *store.Tx) error {
		return errors.Join(tx.PutNotifications(ctx, b.User, docs.Notifications{Digest: docs.DefaultDigest}),
			tx.AddNotice(ctx, docs.Notice{User: b.User, ID: "n1", Kind: docs.NoticeMentioned, Actor: invited.Users[0], Space: kept.ID, At: 9007199254740993}))
	}))
	trashed, _, err := content.Create(ctx, top, spaces.NewSpace{Title: "Trash"})
	check(trashed, err)
	g, _, err = allowed.Space(ctx, by, authz.AdminSpace, trashed.ID)
	check(g, err)
	check(nil, content.Delete(ctx, g))

	// Enough pages for the search index to have parts, and one that waits to
	// become part of them.
	tree := &folder.Tree{}
	for i := range 70 {
		src := fmt.Appendf(nil, "# Page %d\n\nSee [the next](page-%d.md).\n", i, i+1)
		tree.Pages = append(tree.Pages, &folder.Page{
			Type: folder.Document, Title: fmt.Sprintf("Page %d", i), File: fmt.Sprintf("page-%d.md", i), Slug: fmt.Sprintf("page-%d", i),
			Source: src, Head: markup.ParseHead(src),
		})
	}
	tree.Pages = append(tree.Pages, &folder.Page{Type: folder.Document, Title: "Empty", File: "empty.md", Slug: "empty", Source: []byte{}})
	for range 2 {
		now, err := s.Space(ctx, kept.ID)
		check(now, err)
		check(pages.Import(ctx, op, now.It, tree, func(string, int, int) {}))
		tree.Pages[0].Source = []byte("# Page 0\n\nEdited.\n")
		tree.Pages[0].Head = markup.ParseHead(tree.Pages[0].Source)
	}

	db := raw(t, o)
	mustExec(t, db, `INSERT INTO change_requests (id, space_id, number, status) VALUES ('q1', $1, 9007199254740993, 'open')`, kept.ID)
	mustExec(t, db, `INSERT INTO contributors (change_request_id, user_id, action, times, updated_at) VALUES ('q1', 'u1', 'edit', 1, 2)`)
	mustExec(t, db, `INSERT INTO reviews (id, change_request_id, revision_id, reviewer_id, requested_by, status, superseded, comment_id, created_at, updated_at)
		VALUES ('v1', 'q1', 'r1', 'u1', '', 'approved', TRUE, '', 1, 2)`)
	mustExec(t, db, `INSERT INTO requested_reviewers (change_request_id, user_id, revision_id, requested_by, created_at) VALUES ('q1', 'u1', 'r1', 'u2', 1)`)
	mustExec(t, db, `INSERT INTO conflicts (change_request_id, id, data, resolution, resolved_by, created_at, updated_at) VALUES ('q1', 'c1', '{}', '', '', 1, 2)`)
	mustExec(t, db, `INSERT INTO comments (id, space_id, resolved_at) VALUES ('m1', $1, 0)`, kept.ID)
	mustExec(t, db, `INSERT INTO comment_replies (id, comment_id, space_id, change_request_id, body, posted_by, posted_at, edited_at)
		VALUES ('y1', 'm1', $1, '', 'Yes', 'u1', 1, 0)`, kept.ID)
	mustExec(t, db, `INSERT INTO comment_reactions (comment_id, reply_id, emoji, user_id, reacted_at) VALUES ('m1', '', '1f44d', 'u1', 1)`)
	mustExec(t, db, `INSERT INTO webhooks (id, org_id, url, events, secret, enabled, disabled_reason, failures, failing_since, resume_at, due_at, leased_by, lease_until, created_by, created_at, updated_at)
		SELECT 'h1', org_id, 'https://example.com/', '*', 'sealed', TRUE, '', 0, 0, 0, 0, '', 0, created_by, 1, 2 FROM spaces WHERE id = $1`, kept.ID)
	mustExec(t, db, `INSERT INTO saml_providers (id, org_id, label, entity_id, sso_url, certificate, default_team, default_role, idp_initiated, sign_requests,
		email_attribute, first_name_attribute, last_name_attribute, sealed, last_error, last_error_at, created_at, updated_at)
		SELECT 'i1', org_id, 'Okta', 'https://idp.example/', 'https://idp.example/sso', '', '', 'read', TRUE, FALSE, '', 'first_name', 'last_name', 'sealed', '', 0, 1, 2
		FROM spaces WHERE id = $1`, kept.ID)
	mustExec(t, db, `INSERT INTO saml_logins (id, provider_id, browser, hash, next, subject, email, name, expires_at) VALUES ('_1', 'i1', 'b', 'h', '/account', 's', 'a@b.test', 'A', 3)`)
	mustExec(t, db, `INSERT INTO saml_assertions (provider_id, id, expires_at) VALUES ('i1', 'a1', 3)`)
	mustExec(t, db, `INSERT INTO webhook_deliveries (webhook_id, id, kind, replay_of, event_id, type, lane, payload, state, attempts, created_at, first_at, last_at, next_at, took_ms, status, answer, error)
		VALUES ('h1', 'd1', 'event', '', 'e1', 'space.create', 's', '{}', 'pending', 0, 1, 0, 0, 0, 0, 0, '', '')`)
	mustExec(t, db, `INSERT INTO git_operations (space_id, id, direction, state, stage, url, ref, directory, request, sealed, done, total, commit_id, revision_id,
		change_request_id, reason, error, problems, problem_count, user_id, created_at, started_at, updated_at, completed_at)
		SELECT id, 'o1', 'import', 'queued', '', 'https://example.com/r.git', 'refs/heads/main', '', '{}', 'sealed', 0, 0, '', '', '', '', '', '', 0, created_by, 1, 0, 1, 0
		FROM spaces WHERE id = $1`, kept.ID)
	mustExec(t, db, `INSERT INTO git_days (org_id, day, operations) SELECT org_id, 20000, 3 FROM spaces WHERE id = $1`, kept.ID)
	mustExec(t, db, `INSERT INTO allowances (who, what, hour, times) VALUES ('u1', 'invite', 400000, 3)`)
	mustExec(t, db, `INSERT INTO git_pairs (space_id, remote, url, ref, directory, commit_id, revision_id, line_id, parked_id, told_at, updated_at)
		VALUES ($1, 'k1', 'https://example.com/r.git', 'refs/heads/main', '', 'c1', 'r1', 'r1', '', 0, 1)`, kept.ID)
	mustExec(t, db, `INSERT INTO git_connections (space_id, url, ref, directory, direction, sealed, commit_template, poll_seconds, paused, hook_sealed, provider, user_id, created_at, updated_at, due_at, last_operation)
		SELECT id, 'https://example.com/r.git', 'refs/heads/main', '', 'both', 'sealed', '', 60, FALSE, 'sealed', 'github', created_by, 1, 2, 3, 'o1' FROM spaces WHERE id = $1`, kept.ID)
	mustExec(t, db, `INSERT INTO git_commits (space_id, revision_id, data) VALUES ($1, 'r1', '{}')`, kept.ID)
	mustExec(t, db, `INSERT INTO oidc_providers (id, org_id, label, issuer, client_id, client_secret, groups_claim, groups, default_role, default_team, last_error, last_error_at, created_at, updated_at)
		SELECT 'i1', org_id, 'Login', 'https://login.example', 'c', 'sealed', 'groups', '{}', 'read', '', '', 0, 1, 2 FROM spaces WHERE id = $1`, kept.ID)
	mustExec(t, db, `INSERT INTO oidc_flows (hash, provider, browser, nonce, verifier, next, user_id, expires_at) VALUES ('h', 'i1', 'b', 'n', 'v', '/', '', 9007199254740993)`)
	mustExec(t, db, `INSERT INTO external_ids (org_id, thing_id, external_id) SELECT org_id, 'u1', 'x1' FROM spaces WHERE id = $1`, kept.ID)
	mustExec(t, db, `INSERT INTO git_blobs (space_id, id, body, oid, path) VALUES ($1, 'p1', 'b1', 'f1', 'p1.md')`, kept.ID)
	return s
}

func backup(t testing.TB, s *store.Store) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := s.Backup(context.Background(), &b, "test", nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func restore(o store.Options, b []byte) error {
	_, err := store.Restore(context.Background(), o, bytes.NewReader(b), true, nil)
	return err
}

// unpack returns the files of a backup.
func unpack(t testing.TB, b []byte) (store.Manifest, map[string][]byte) {
	t.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for archive := tar.NewReader(zip); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(archive); err != nil {
			t.Fatal(err)
		}
	}
	var m store.Manifest
	if err := json.Unmarshal(files["manifest.json"], &m); err != nil {
		t.Fatal(err)
	}
	delete(files, "manifest.json")
	return m, files
}

// pack is the opposite of unpack. The checksums are those of the files, so
// that a backup with wrong content is still a whole one.
func pack(t testing.TB, m store.Manifest, files map[string][]byte) []byte {
	t.Helper()
	for i := range m.Tables {
		sum := sha256.Sum256(files["tables/"+m.Tables[i].Name+".jsonl"])
		m.Tables[i].SHA256 = hex.EncodeToString(sum[:])
	}
	return packAs(t, m, files)
}

// packAs is pack with the checksums that the manifest has.
func packAs(t testing.TB, m store.Manifest, files map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	archive := tar.NewWriter(zip)
	put := func(name string, content []byte) {
		t.Helper()
		err := archive.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(content))})
		if err == nil {
			_, err = archive.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range m.Tables {
		name := "tables/" + m.Tables[i].Name + ".jsonl"
		put(name, files[name])
	}
	content, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	put("manifest.json", content)
	if err := errors.Join(archive.Close(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// content returns the rows of every table. Their order is the database's own.
func content(t testing.TB, b []byte) string {
	t.Helper()
	_, files := unpack(t, b)
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		lines := strings.SplitAfter(string(files[name]), "\n")
		slices.Sort(lines)
		fmt.Fprintf(&out, "%s\n%s", name, strings.Join(lines, ""))
	}
	return out.String()
}

func TestBackupHoldsEveryTable(t *testing.T) {
	testdb.EachBare(t, func(t *testing.T, o store.Options) {
		s := filled(t, o)
		tables, err := s.Tables(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		m, _ := unpack(t, backup(t, s))
		rows := map[string]int{}
		for _, table := range m.Tables {
			rows[table.Name] = table.Rows
		}
		for _, table := range tables {
			if own := table.Name == "schema_migrations" || table.Name == "file_place"; !own && rows[table.Name] == 0 {
				t.Errorf("no row of %s is in the backup; a new table wants one in filled", table.Name)
			} else if own && rows[table.Name] > 0 {
				t.Errorf("%s belongs to this database, and is in the backup", table.Name)
			}
		}
	})
}

// meddler changes something when the first byte is written to it.
type meddler struct {
	bytes.Buffer
	meddle func()
	did    sync.Once
}

func (m *meddler) Write(b []byte) (int, error) {
	m.did.Do(m.meddle)
	return m.Buffer.Write(b)
}

func TestBackupIsOfTheMomentItBegan(t *testing.T) {
	testdb.EachBare(t, func(t *testing.T, o store.Options) {
		s := filled(t, o)
		// The first table is too large, and too random, to wait in a buffer
		// until the others are read.
		var noise [1 << 19]byte
		rand.Read(noise[:])
		db := raw(t, o)
		mustExec(t, db, `UPDATE agent_instructions SET document = $1`, hex.EncodeToString(noise[:]))
		want := content(t, backup(t, s))
		met := false
		w := &meddler{meddle: func() {
			met = true
			people := orgs.New(s, orgs.Config{})
			if _, err := people.Operator.Bootstrap(context.Background(), "late@octavo.example", "Late", "label"); err != nil {
				t.Error(err)
			}
		}}
		if _, err := s.Backup(context.Background(), w, "test", nil); err != nil {
			t.Fatal(err)
		}
		if got := content(t, w.Bytes()); got != want {
			t.Error("the backup has what was written after it began")
		}
		if after := content(t, backup(t, s)); !met || after == want {
			t.Error("nothing was written meanwhile: the test shows nothing")
		}
	})
}

func TestRestoreGivesBackEveryRow(t *testing.T) {
	kinds := []struct {
		name  string
		place func(testing.TB) store.Options
	}{{"sqlite", testdb.BareSQLite}, {"postgres", testdb.BarePostgres}}
	for _, from := range kinds {
		for _, to := range kinds {
			t.Run(from.name+" to "+to.name, func(t *testing.T) {
				b := backup(t, filled(t, from.place(t)))
				target := to.place(t)
				if err := restore(target, b); err != nil {
					t.Fatal(err)
				}
				if got, want := content(t, backup(t, testdb.Open(t, target))), content(t, b); got != want {
					t.Errorf("restored\n%s\nbacked up\n%s", got, want)
				}
			})
		}
	}
}

func TestDamagedBackupIsRefusedOrWhole(t *testing.T) {
	whole := backup(t, filled(t, testdb.BareSQLite(t)))
	want := content(t, whole)
	try := func(damaged []byte, what string, at int) {
		t.Helper()
		o := testdb.BareSQLite(t)
		err := restore(o, damaged)
		if err == nil {
			// Some bits carry nothing, such as the date of the compression.
			if content(t, backup(t, testdb.Open(t, o))) != want {
				t.Errorf("%s at %d of %d was not noticed", what, at, len(whole))
			}
			return
		}
		if !strings.Contains(err.Error(), "the backup ") {
			t.Errorf("%s at %d of %d: %v", what, at, len(whole), err)
		}
		if _, err := os.Stat(o.Path); !os.IsNotExist(err) {
			t.Errorf("%s at %d of %d: a database was made", what, at, len(whole))
		}
	}
	// Every damage costs a pass over the archive, so not each byte has its
	// turn, but those at the end, where the checksum is.
	for at := 0; at < len(whole); at++ {
		if at%37 > 0 && at < len(whole)-12 {
			continue
		}
		flipped := slices.Clone(whole)
		flipped[at] ^= 1 << (at % 8)
		try(flipped, "a flipped bit", at)
		try(whole[:at], "the end", at)
	}
	try(append(slices.Clone(whole), "more"...), "more behind it", len(whole))
}

func TestRestoreRefusesWhatItCannotRead(t *testing.T) {
	good := backup(t, filled(t, testdb.BareSQLite(t)))
	cases := []struct {
		name   string
		change func(m *store.Manifest, files map[string][]byte)
		says   string
	}{
		{"a newer format", func(m *store.Manifest, _ map[string][]byte) { m.Format++ }, "newer Octavo (test)"},
		{"a newer schema", func(m *store.Manifest, _ map[string][]byte) { m.Schema = 9999 }, "newer Octavo (test)"},
		{"an unknown table", func(m *store.Manifest, _ map[string][]byte) { m.Tables[0].Name = "x; DROP TABLE users" }, "unknown table"},
		{"an unknown column", func(m *store.Manifest, _ map[string][]byte) { m.Tables[0].Columns[0] = "1) --" }, "unknown column"},
		{"no table", func(m *store.Manifest, _ map[string][]byte) { m.Tables = nil }, "incomplete"},
		{"a short row", func(_ *store.Manifest, f map[string][]byte) { f["tables/users.jsonl"] = []byte("[1]\n") }, "table users: a row has the wrong number of columns"},
		{"no JSON", func(_ *store.Manifest, f map[string][]byte) { f["tables/users.jsonl"] = []byte("[") }, "table users"},
		{
			"a list as a parent", func(_ *store.Manifest, f map[string][]byte) {
				f["tables/collections.jsonl"] = bytes.Replace(f["tables/collections.jsonl"], []byte("null"), []byte("[]"), 1)
			}, "table collections: a value of the column",
		},
		{"a reference to nothing", func(_ *store.Manifest, f map[string][]byte) { f["tables/users.jsonl"] = nil }, "table "},
		{
			"a collection inside itself", func(_ *store.Manifest, f map[string][]byte) {
				f["tables/collections.jsonl"] = ringed(f["tables/collections.jsonl"])
			}, "table collections: 4 rows hang below none",
		},
	}
	testdb.EachBare(t, func(t *testing.T, o store.Options) {
		for _, c := range cases {
			m, files := unpack(t, good)
			c.change(&m, files)
			if err := restore(o, pack(t, m, files)); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: error %v, want %q", c.name, err, c.says)
			}
		}
		// What was refused is not in the way of what is right.
		if err := restore(o, good); err != nil {
			t.Fatal(err)
		}
		if got, want := content(t, backup(t, testdb.Open(t, o))), content(t, good); got != want {
			t.Errorf("restored\n%s\nbacked up\n%s", got, want)
		}
	})
}

// ringed puts the collection at the top, which is the only one outside all
// others, into the first one.
func ringed(lines []byte) []byte {
	first := regexp.MustCompile(`^\["(\w+)"`).FindSubmatch(lines)[1]
	top := regexp.MustCompile(`(?m)^(\["\w+","\w+",)null`)
	return top.ReplaceAll(lines, []byte(`${1}"`+string(first)+`"`))
}

func TestRestoreRefusesAStoreWithData(t *testing.T) {
	b := backup(t, filled(t, testdb.BareSQLite(t)))
	testdb.EachBare(t, func(t *testing.T, o store.Options) {
		s := testdb.Open(t, o)
		if _, err := orgs.New(s, orgs.Config{}).Operator.CreateUser(context.Background(), "linus@octavo.example"); err != nil {
			t.Fatal(err)
		}
		before := content(t, backup(t, s))
		if err := restore(o, b); err == nil || !strings.Contains(err.Error(), "restore into an empty one") {
			t.Errorf("error %v", err)
		}
		if after := content(t, backup(t, s)); after != before {
			t.Errorf("there is\n%s\nthere was\n%s", after, before)
		}
	})
}

// Jobs that repeat are queued by every server that starts, also by one that
// is to be filled from a backup.
func TestRestoreReplacesWhatAServerMakesByItself(t *testing.T) {
	source := filled(t, testdb.BareSQLite(t))
	addRepeating(t, source)
	b := backup(t, source)
	testdb.EachBare(t, func(t *testing.T, o store.Options) {
		s := testdb.Open(t, o)
		addRepeating(t, s)
		if err := restore(o, b); err != nil {
			t.Fatal(err)
		}
		if got, want := content(t, backup(t, s)), content(t, b); got != want {
			t.Errorf("restored\n%s\nbacked up\n%s", got, want)
		}
	})
}

func addRepeating(t *testing.T, s *store.Store) {
	t.Helper()
	ctx := context.Background()
	err := s.Do(ctx, func(tx *store.Tx) error {
		return tx.AddJob(ctx, store.Job{Kind: "outbox.trim", Key: "every", Payload: "{}", Every: 1000, RunAt: tx.Now()})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A restored copy is paused from its first row on, and not by what the caller does later. One
// that takes the place of the original is not, even if the original was.
func TestARestoredStoreIsPausedAtOnce(t *testing.T) {
	ctx := context.Background()
	source := filled(t, testdb.BareSQLite(t))
	if err := source.Do(ctx, func(tx *store.Tx) error { return tx.SetPaused(ctx, tx.Now()) }); err != nil {
		t.Fatal(err)
	}
	b := backup(t, source)
	for _, live := range []bool{true, false} {
		testdb.EachBare(t, func(t *testing.T, o store.Options) {
			if _, err := store.Restore(ctx, o, bytes.NewReader(b), live, nil); err != nil {
				t.Fatal(err)
			}
			if at, err := testdb.Open(t, o).PausedAt(ctx); err != nil || at.IsZero() != live {
				t.Errorf("live %t: it is paused since %s, %v", live, at, err)
			}
		})
	}
}

func TestBackupThatCannotBeWrittenFails(t *testing.T) {
	s := filled(t, testdb.BareSQLite(t))
	f, err := os.Create(filepath.Join(t.TempDir(), "closed"))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Backup(context.Background(), f, "test", nil); !errors.Is(err, os.ErrClosed) {
		t.Errorf("error %v", err)
	}
}
