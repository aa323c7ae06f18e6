package api_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
)

// TestASecondMistakeIsNamedWithTheFirst sends bodies with two mistakes or more, of which one has nothing to do with the
// other: found by the schema, by rules of one field, or by what there is.
func TestASecondMistakeIsNamedWithTheFirst(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t), nil)
	f := newFixture(w)
	long := strings.Repeat("x", 300)
	for _, c := range []struct {
		id, body string
		paths    string // of the details
	}{
		{"createSpace", `{"title":"` + long + `","emoji":"no"}`, "body.emoji body.title"},
		{"updateSpaceById", `{"mergeRules":{"type":"rules","rules":[{"rule":"no"},{"rule":"neither"}]}}`, "body.mergeRules.rules[0].rule body.mergeRules.rules[1].rule"},
		{"updateSpaceById", `{"icon":"no","title":"` + long + `"}`, "body.icon body.title"},
		{"updateSpaceById", `{"icon":"https://a.test/b","emoji":"1f600","defaultLevel":"admin","mergeRules":{"type":"none","rules":[]}}`, "body.icon"},
		{"updateOrganizationById", `{"hostname":"-a-","emailDomains":["gmail.com","no domain"],"defaultContent":{"type":"site","site":"none"}}`, "body.defaultContent.site body.emailDomains[0] body.emailDomains[1] body.hostname"},
		{"updateOrganizationById", `{"logo":"no","title":"` + long + `","unknown":1}`, "body.logo body.title body.unknown"},
		{"inviteUsersToOrganization", `{"emails":["no","a@b.test","neither"],"role":"read"}`, "body.emails[0] body.emails[2]"},
		{"updateSiteById", `{"basename":"-","proxy":"-"}`, "body.basename body.proxy"},
		{"updateSiteSectionById", `{"title":"` + long + `","condition":"("}`, "body.condition body.title"},
		{"updateSiteSectionById", `{"localizedTitle":{"xx":"a"},"localizedDescription":{"yy":"b"},"condition":"visitor.claims.none"}`, "body.condition body.localizedDescription body.localizedTitle"},
		{"updateSiteSpaceById", `{"localizedTitle":{"xx":"a"},"condition":"visitor.claims.none"}`, "body.condition body.localizedTitle"},
		{"addExternalLinkToSite", `{"title":"` + long + `","url":"no"}`, "body.title body.url"},
		{"updateSiteExternalLinkById", `{"url":"no","condition":"("}`, "body.condition body.url"},
		{"updateSiteExternalLinkById", `{"localizedTitle":{"de":"` + long + `","xx":"b"},"condition":"visitor.claims.none"}`, "body.condition body.localizedTitle body.localizedTitle.de"},
		{"createSiteMcpServer", `{"name":"a","url":"https://a.test/","headers":{"a b":"c"},"condition":"visitor.claims.none"}`, "body.condition body.headers"},
		{"createSiteRedirect", `{"source":"no slash?","destination":{"kind":"external"}}`, "body.destination.url body.source"},
		{"updateSitePublishingAuthById", `{"fallbackURL":"no","logoutURL":"neither"}`, "body.fallbackURL body.logoutURL"},
		{"updateSiteCustomizationById", `{"favicon":{"emoji":"no"},"privacyPolicy":{"url":"neither"},"title":"` + long + `"}`, "body.favicon.emoji body.privacyPolicy.url body.title"},
		{"createWebhook", `{"url":"no","events":["space.updated","nothing"],"secret":"short but with blanks"}`, "body.events[0] body.events[1] body.secret body.url"},
		{"updateWebhook", `{"url":"no","events":["space.updated"],"secret":"short but with blanks"}`, "body.events[0] body.secret body.url"},
		{"createOrganizationSAMLProvider", `{"label":"a","certificate":"no","ssoURL":"neither"}`, "body.certificate body.ssoURL"},
		{"updateOrganizationSAMLProvider", `{"defaultTeam":"no","groups":{"a":"neither"}}`, "body.defaultTeam body.groups"},
		{"updateOIDCProvider", `{"defaultTeam":"no","groups":{"a":"neither"}}`, "body.defaultTeam body.groups"},
		{"connectGitRepository", `{"url":"no","ref":"a b","directory":"../..","pollSeconds":1,"webhookSecret":"short but with blanks"}`, "body.directory body.pollSeconds body.ref body.url body.webhookSecret"},
		{"importGitRepository", `{"url":"no","ref":"a b","repoProjectDirectory":"../..","repoTreeURL":"neither"}`, "body.ref body.repoProjectDirectory body.repoTreeURL body.url"},
		{"ingestConversation", `[{"id":"a","parts":[],"metadata":{"url":"no"}},{"id":"b","parts":[],"metadata":{"url":"neither"}}]`, "body[0].metadata.url body[1].metadata.url"},
		{"createTranslation", `{"source":{"space":"$space","language":"xx"},"language":"yy"}`, "body.language body.source.language"},
		{"createCustomFont", `{"fontFamily":"a","fontFaces":[{"weight":400,"storageKey":"no"},{"weight":400,"storageKey":"neither"}]}`, "body.fontFaces[0].storageKey body.fontFaces[1].storageKey body.fontFaces[1].weight"},
		{"aggregateSiteEvents", `{"range":{"from":"2026-02-01T00:00:00Z","to":"2026-01-01T00:00:00Z"},"groupBy":[{"column":"eventsCount"}],"select":[{"column":"eventsCount"}]}`, "body.groupBy[0].column body.range"},
		{"updateUserById", `{"displayName":"` + long + `","photoURL":"no"}`, "body.displayName body.photoURL"},
	} {
		i := slices.IndexFunc(w.srv.API.Operations(), func(op kernel.OperationInfo) bool { return op.ID == c.id })
		if i < 0 {
			t.Errorf("there is no operation %s", c.id)
			continue
		}
		op := w.srv.API.Operations()[i]
		a := w.call("admin", op.Method, f.path(op.Path), w.expand(c.body))
		var e struct {
			Error struct {
				Message string
				Details []struct{ Path string }
			}
		}
		if err := json.Unmarshal(a.body, &e); err != nil {
			t.Fatal(err)
		}
		var paths []string
		for _, d := range e.Error.Details {
			paths = append(paths, d.Path)
		}
		slices.Sort(paths)
		if got := strings.Join(paths, " "); a.status != http.StatusBadRequest || got != c.paths {
			t.Errorf("%s with %s: %d %s, want %s", c.id, c.body, a.status, a.body, c.paths)
		}
	}
}
