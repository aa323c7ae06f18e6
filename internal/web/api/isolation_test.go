package api_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/octavo-docs/octavo/internal/site/insights"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/web/api"
)

// fixture is one of everything in Acme, with titles that appear nowhere else.
type fixture struct{ w *world }

const marker = "acme-secret"

// must makes a request that has to succeed, and remembers ids.
func (w *world) must(who, method, path, body string, capture ...string) answer {
	w.t.Helper()
	a := w.call(who, method, w.expand(path), w.expand(body))
	if a.status >= 300 {
		w.t.Fatalf("%s %s as %s: %d %s", method, path, who, a.status, a.body)
	}
	for _, name := range capture {
		w.vars[name], _ = a.json().(map[string]any)["id"].(string)
	}
	return a
}

func newFixture(w *world) fixture {
	w.t.Helper()
	w.addUser("victim", "edit")
	w.addUser("author", "edit")
	w.must("admin", "PATCH", "/orgs/$org", `{"title":"`+marker+`","hostname":"`+marker+`","emailDomains":["acme.test"]}`)
	w.must("admin", "POST", "/orgs/$org/collections", `{"title":"`+marker+`"}`, "collection")
	w.must("admin", "POST", "/orgs/$org/spaces", `{"title":"`+marker+`","parent":"$collection"}`, "space")
	w.must("admin", "PUT", "/orgs/$org/teams", `{"title":"`+marker+`","members":["$user_victim"]}`, "team")
	w.must("admin", "POST", "/spaces/$space/permissions", `{"role":"read","users":["$user_victim"],"teams":["$team"]}`)
	w.must("admin", "POST", "/collections/$collection/permissions", `{"role":"read","users":["$user_victim"],"teams":["$team"]}`)
	w.must("admin", "POST", "/orgs/$org/link-invites", `{"role":"read"}`, "invite")
	w.must("admin", "POST", "/user/tokens", `{"label":"`+marker+`"}`, "token")
	w.signIn("admin")
	w.must("admin", "POST", "/orgs/$org/service-accounts", `{"name":"`+marker+`","role":"read"}`, "machine")
	w.must("admin", "POST", "/orgs/$org/service-accounts/$machine/tokens", `{"label":"`+marker+`"}`)
	w.must("admin", "POST", "/orgs/$org/webhooks", `{"url":"https://`+marker+`.example/"}`, "webhook")
	w.must("admin", "POST", "/orgs/$org/webhooks/$webhook/test", "", "delivery")
	w.must("admin", "POST", "/orgs/$org/saml", `{"label":"`+marker+`"}`, "saml")
	w.must("admin", "POST", "/orgs/$org/oidc", `{"label":"Seen by all","issuer":"https://`+marker+`.example","clientId":"`+marker+`"}`, "oidc")
	w.must("admin", "PUT", "/spaces/$space/git/connection", `{"url":"https://`+marker+`.example/a/b.git","ref":"main","credentials":{"username":"u","password":"`+marker+`"}}`)
	var queued struct{ Items []struct{ ID string } }
	a := w.must("admin", "POST", "/spaces/$space/git/sync", "")
	if err := json.Unmarshal(a.body, &queued); err != nil || len(queued.Items) == 0 {
		w.t.Fatalf("%v: %s", err, a.body)
	}
	w.vars["operation"] = queued.Items[0].ID
	f := fixture{w}
	f.publish()
	f.write()
	f.translate()
	f.wonder()
	w.must("admin", "POST", "/spaces/$space/comments", `{"page":"$page","body":{"markdown":"`+marker+`"}}`, "comment")
	w.must("admin", "POST", "/spaces/$space/comments/$comment/replies", `{"body":{"markdown":"`+marker+`"}}`, "reply")
	w.must("admin", "POST", "/spaces/$space/change-requests/$request/comments", `{"body":{"markdown":"`+marker+`"}}`)
	w.must("author", "POST", "/spaces/$space/comments/$comment/replies", `{"body":{"markdown":"`+marker+` [Admin](/users/$user_admin)"}}`)
	w.notify()
	var list struct{ Items []struct{ ID string } }
	if err := json.Unmarshal(w.must("admin", "GET", "/user/inbox", "").body, &list); err != nil || len(list.Items) == 0 {
		w.t.Fatalf("%v: the inbox is empty", err)
	}
	w.vars["notice"] = list.Items[0].ID
	return f
}

// publish puts Acme's space on a site with a section in a group.
func (f fixture) publish() {
	w := f.w
	w.t.Helper()
	w.must("admin", "POST", "/orgs/$org/sites", `{"title":"`+marker+`"}`, "site")
	w.must("admin", "POST", "/orgs/$org/sites/$site/sections", `{"title":"`+marker+`","spaceId":"$space"}`, "section")
	w.must("admin", "POST", "/orgs/$org/sites/$site/section-groups", `{"title":"`+marker+`","sections":["$section"]}`, "group")
	w.must("admin", "POST", "/orgs/$org/sites/$site/external-links", `{"title":"`+marker+`","url":"https://`+marker+`.test/"}`, "externallink")
	w.must("admin", "POST", "/orgs/$org/sites/$site/site-spaces", `{"spaceId":"$space"}`, "sitespace")
	w.must("admin", "POST", "/orgs/$org/sites/$site/publish", "")
	w.must("admin", "POST", "/orgs/$org/sites/$site/share-links", `{"name":"`+marker+`"}`, "sharelink")
	w.must("admin", "POST", "/orgs/$org/sites/$site/redirects", `{"source":"/`+marker+`","destination":{"kind":"site-space","siteSpaceId":"$sitespace"}}`, "redirect")
	w.must("admin", "POST", "/orgs/$org/sites/$site/mcp-servers", `{"name":"`+marker+`","url":"https://mcp.test/","headers":{"X-Key":"`+marker+`"}}`, "mcpserver")
	w.must("admin", "PUT", "/orgs/$org/sites/$site/customization", `{"footer":{"copyright":"`+marker+`"}}`)
	w.must("admin", "PATCH", "/orgs/$org/sites/$site/site-spaces/$sitespace/customization", `{"title":"`+marker+`"}`)
	w.must("admin", "PUT", "/orgs/$org/sites/$site/adaptive-schema", `{"jsonSchema":`+acmeSchema+`}`)
	w.must("admin", "POST", "/orgs/$org/sites/$site/permissions", `{"role":"read","users":["$user_victim"],"teams":["$team"]}`)
	w.vars["upload"] = w.uploadFont("admin", "$org", "wOF2"+marker)
	w.must("admin", "PUT", "/orgs/$org/fonts", `{"fontFamily":"`+marker+`","fontFaces":[{"weight":400,"storageKey":"$upload"}]}`, "font")
	w.must("admin", "PUT", "/orgs/$org/openapi/"+marker, `{"source":{"text":"{\"openapi\":\"3.1.0\",\"info\":{\"title\":\"`+marker+`\",\"version\":\"1\"},\"paths\":{}}"}}`)
	w.processSpecs()
	w.must("admin", "POST", "/orgs/$org/conversations", `{"id":"`+marker+`","subject":"`+marker+`","parts":[{"type":"message","role":"user","body":"How do I export `+marker+` to PDF?"}]}`)
	w.analyse()
	var found struct {
		Items []struct{ Issue struct{ ID, Cluster string } }
	}
	if err := json.Unmarshal(w.must("admin", "GET", "/orgs/$org/conversations-issues", "").body, &found); err != nil || len(found.Items) != 1 {
		w.t.Fatalf("%v: %v", err, found)
	}
	w.vars["issue"], w.vars["cluster"] = found.Items[0].Issue.ID, found.Items[0].Issue.Cluster
	w.must("admin", "GET", "/orgs/$org/openapi/"+marker+"/versions/latest", "", "specversion")
}

// translate translates Acme's space.
func (f fixture) translate() {
	w := f.w
	w.t.Helper()
	w.must("admin", "POST", "/orgs/$org/translations", `{"source":{"space":"$space","language":"en"},"language":"es"}`, "translation")
	w.translate()
	w.must("admin", "PUT", "/orgs/$org/translations-glossary", `{"operations":[{"type":"insert","translations":{"en":"`+marker+`"}}]}`)
	var list struct{ Items []struct{ ID string } }
	if err := json.Unmarshal(w.must("admin", "GET", "/orgs/$org/translations-glossary", "").body, &list); err != nil || len(list.Items) != 1 {
		w.t.Fatalf("%v: the glossary has %d entries", err, len(list.Items))
	}
	w.vars["glossaryentry"] = list.Items[0].ID
}

// uploadFont uploads a font and returns its key.
func (w *world) uploadFont(who, org, font string) string {
	w.t.Helper()
	a := w.must(who, "POST", "/orgs/"+org+"/storage/upload", fmt.Sprintf(`{"file":{"name":"a.woff2","type":"","size":%d},"kind":"customization_font"}`, len(font)))
	var to struct{ URL, Key string }
	if err := json.Unmarshal(a.body, &to); err != nil {
		w.t.Fatal(err)
	}
	w.must("nobody", "PUT", strings.TrimPrefix(to.URL, w.srv.URL()+api.Prefix), font)
	return to.Key
}

// wonder makes readers of Acme's site ask a question.
func (f fixture) wonder() {
	w := f.w
	w.t.Helper()
	w.must("admin", "PATCH", "/orgs/$org/sites/$site", `{"keepsQuestions":true}`)
	w.wonder(marker)
	var list struct {
		Items []struct{ ID, Question string }
	}
	if err := json.Unmarshal(w.must("admin", "GET", "/orgs/$org/sites/$site/questions", "").body, &list); err != nil || len(list.Items) != 1 || list.Items[0].Question != marker {
		w.t.Fatalf("%v: the readers asked %v", err, list)
	}
	w.vars["question"] = list.Items[0].ID
}

// wonder asks Acme's site a question as often as it takes until it is kept.
func (w *world) wonder(question string) {
	w.t.Helper()
	for n := range insights.MinReaders {
		a := w.call("admin", "POST", w.expand("/orgs/$org/sites/$site/ask"), `{"question":"`+question+`"}`, fmt.Sprintf("X-Forwarded-For: 10.0.%d.1", n))
		if a.status != http.StatusOK {
			w.t.Fatalf("%d %s", a.status, a.body)
		}
	}
}

const acmeSchema = `{"type":"object","additionalProperties":false,"properties":{"beta":{"type":"boolean","description":"` + marker + `"}}}`

// write adds a page, a file and a reusable content to Acme's space, and puts
// what it began with behind them in its history.
func (f fixture) write() {
	w := f.w
	w.t.Helper()
	w.must("admin", "PATCH", "/spaces/$space", `{"editMode":"live"}`)
	w.importFolder(w.vars["space"], fstest.MapFS{
		"README.md":                 {Data: []byte("# " + marker + "\n\n{% include \".gitbook/includes/note.md\" %}\n"), Mode: 0o644},
		".gitbook/includes/note.md": {Data: []byte("---\ntitle: " + marker + "\n---\n\n" + marker + "\n"), Mode: 0o644},
	})
	a := w.must("admin", "POST", "/spaces/$space/content", `{"changes":[
		{"operation":"insert_files","files":[{"name":"`+marker+`.txt","ref":"file","contentType":"text/plain","base64":"`+
		base64.StdEncoding.EncodeToString([]byte(marker))+`"}]},
		{"operation":"insert_page","title":"`+marker+`","slug":"inside","document":{"markdown":"`+marker+` [file](./file) [home](/pages/README.md)"}}]}`)
	var done struct {
		Revision      string
		Changes       []struct{ Page struct{ ID string } }
		InsertedFiles []struct{ ID string }
	}
	if err := json.Unmarshal(a.body, &done); err != nil || len(done.Changes) != 1 || len(done.InsertedFiles) != 1 {
		w.t.Fatalf("%v: %s", err, a.body)
	}
	w.vars["revision"], w.vars["page"], w.vars["file"] = done.Revision, done.Changes[0].Page.ID, done.InsertedFiles[0].ID
	var head struct{ ReusableContents []struct{ ID string } }
	if err := json.Unmarshal(w.must("admin", "GET", "/spaces/$space/content", "").body, &head); err != nil || len(head.ReusableContents) != 1 {
		w.t.Fatalf("%v: %v", err, head)
	}
	w.vars["reusable"] = head.ReusableContents[0].ID
	var page struct{ DocumentID string }
	if err := json.Unmarshal(w.must("admin", "GET", "/spaces/$space/content/page/$page", "").body, &page); err != nil || page.DocumentID == "" {
		w.t.Fatalf("%v: %v", err, page)
	}
	w.vars["document"] = page.DocumentID
	f.propose()
}

// propose adds a change request with a review and a conflict to Acme's space.
func (f fixture) propose() {
	w := f.w
	w.t.Helper()
	w.must("admin", "POST", "/spaces/$space/change-requests", `{"subject":"`+marker+`"}`, "request")
	w.must("admin", "POST", "/spaces/$space/change-requests/$request/content", `{"changes":[{"operation":"update_page","page":"$page","title":"`+marker+` mine"}]}`)
	w.must("admin", "POST", "/spaces/$space/content", `{"changes":[{"operation":"update_page","page":"$page","title":"`+marker+` main"}]}`)
	var done struct{ Conflicts []struct{ ID string } }
	a := w.must("admin", "POST", "/spaces/$space/change-requests/$request/update", "")
	if err := json.Unmarshal(a.body, &done); err != nil || len(done.Conflicts) == 0 {
		w.t.Fatalf("%v: %s", err, a.body)
	}
	w.vars["conflict"] = done.Conflicts[0].ID
	w.must("admin", "POST", "/spaces/$space/change-requests/$request/reviews", `{"status":"approved"}`, "review")
	w.must("admin", "POST", "/spaces/$space/change-requests/$request/requested-reviewers", `{"users":["$user_admin"]}`)
	w.must("admin", "PUT", "/orgs/$org/sites/$site/hostname", `{"hostname":"docs.acme.test"}`)
	var events struct{ Items []struct{ ID string } }
	if err := json.Unmarshal(w.must("admin", "GET", "/orgs/$org/audit-events", "").body, &events); err != nil || len(events.Items) == 0 {
		w.t.Fatalf("%v: %v", err, events)
	}
	w.vars["auditevent"] = events.Items[0].ID
}

// param returns Acme's value of a path parameter.
func (f fixture) param(name string) string {
	v := map[string]string{
		"organizationId": "org", "collectionId": "collection", "spaceId": "space", "teamId": "team",
		"userId": "user_victim", "inviteId": "invite", "tokenId": "token", "serviceAccountId": "machine", "sessionId": "session", "webhookId": "webhook", "deliveryId": "delivery", "samlProviderId": "saml", "oidcProviderId": "oidc",
		"pageId": "page", "fileId": "file", "reusableContentId": "reusable", "documentId": "document", "revisionId": "revision",
		"changeRequestId": "request", "reviewId": "review", "conflictId": "conflict",
		"commentId": "comment", "commentReplyId": "reply", "operationId": "operation",
		"siteId": "site", "siteSectionId": "section", "siteSectionGroupId": "group", "siteSpaceId": "sitespace", "siteExternalLinkId": "externallink",
		"shareLinkId": "sharelink", "siteRedirectId": "redirect", "siteMcpServerId": "mcpserver", "siteQuestionId": "question",
		"fontId": "font", "versionId": "specversion", "translationId": "translation", "glossaryEntryId": "glossaryentry", "key": "upload", "noticeId": "notice", "issueId": "issue", "clusterId": "cluster", "auditEventId": "auditevent",
	}[name]
	switch name {
	case "hostname":
		return "docs.acme.test"
	case "emailDomain":
		return "acme.test"
	case "subdomain", "specSlug", "conversationId", "blockId":
		return marker
	case "pagePath":
		return "inside"
	case "hash": // of an address without a signature
		return strings.Repeat("0", 64)
	case "format":
		return "zendesk"
	case "name", "file":
		return "name.txt"
	}
	if v == "" {
		f.w.t.Fatalf("the fixture has no %q: a new kind of thing must be part of the isolation test", name)
	}
	return f.w.vars[v]
}

var pathParam = regexp.MustCompile(`\{(\w+)\}`)

func (f fixture) path(pattern string) string {
	return pathParam.ReplaceAllStringFunc(strings.TrimSuffix(pattern, "{$}"), func(p string) string { return f.param(p[1 : len(p)-1]) })
}

// state is all that Acme's admin can see of Acme, the audit log included.
func (f fixture) state() string {
	f.w.flushUses() // an organization sees the tokens that were used in it
	var all []string
	for _, path := range []string{
		"/orgs/$org", "/orgs/$org/members", "/orgs/$org/service-accounts", "/orgs/$org/service-accounts/$machine/tokens", "/orgs/$org/tokens", "/orgs/$org/teams", "/orgs/$org/teams/$team/members", "/orgs/$org/collections",
		"/orgs/$org/spaces", "/spaces/$space/permissions/users", "/spaces/$space/permissions/teams",
		"/collections/$collection/permissions/users", "/collections/$collection/permissions/teams",
		"/orgs/$org/sites", "/orgs/$org/sites/$site/structure",
		"/orgs/$org/sites/$site/customization", "/orgs/$org/sites/$site/site-spaces/$sitespace/customization", "/orgs/$org/sites/$site/adaptive-schema",
		"/orgs/$org/sites/$site/share-links", "/orgs/$org/sites/$site/publishing/auth", "/orgs/$org/sites/$site/redirects", "/orgs/$org/sites/$site/mcp-servers",
		"/orgs/$org/sites/$site/permissions/users", "/orgs/$org/sites/$site/permissions/teams",
		"/orgs/$org/translations", "/orgs/$org/translations/$translation/blocks", "/orgs/$org/translations-glossary",
		"/orgs/$org/openapi", "/orgs/$org/openapi/" + marker + "/versions",
		"/orgs/$org/conversations", "/orgs/$org/conversations/" + marker, "/orgs/$org/conversations-issues", "/orgs/$org/conversations-clusters",
		"/orgs/$org/fonts", "/orgs/$org/webhooks", "/orgs/$org/webhooks/$webhook/deliveries", "/orgs/$org/saml", "/orgs/$org/oidc",
		"/spaces/$space/git/connection", "/spaces/$space/git/operations", "/spaces/$space/git/info",
		"/orgs/$org/link-invites", "/orgs/$org/agent-instructions", "/orgs/$org/audit?limit=1000", "/users/$user_victim",
		"/spaces/$space/content", "/spaces/$space/content/page/$page", "/spaces/$space/revisions", "/spaces/$space/links",
		"/spaces/$space/change-requests/$request", "/spaces/$space/change-requests/$request/content", "/spaces/$space/change-requests/$request/reviews",
		"/spaces/$space/change-requests/$request/conflicts", "/spaces/$space/change-requests/$request/requested-reviewers",
		"/spaces/$space/content/files/$file/backlinks", "/orgs/$org/search?query=" + marker,
		"/spaces/$space/comments", "/spaces/$space/comments/$comment/replies", "/spaces/$space/change-requests/$request/comments", "/user/inbox",
	} {
		all = append(all, string(f.w.must("admin", "GET", path, "").body))
	}
	return passing.ReplaceAllString(strings.Join(all, "\n"), "")
}

// passing is what changes by itself: when the admin was seen, with which token, and until when
// addresses are signed.
var passing = regexp.MustCompile(`"(lastSeenAt|lastUsedAt)":"[^"]*"|signature=[^"&]*`)

// bodies are inputs that are valid as such, so that nothing but the missing
// right stops the operation. An operation that is not here is called with {}.
var bodies = map[string]string{
	"trackEventsInSiteById":               `{"events":[{"type":"page_view","session":{},"location":{}}]}`,
	"aggregateSiteEvents":                 `{"range":"last7Days"}`,
	"updateUserById":                      `{"displayName":"pwned"}`,
	"createToken":                         `{"label":"mine"}`,
	"createServiceAccount":                `{"name":"pwned","role":"admin"}`,
	"updateServiceAccount":                `{"name":"pwned"}`,
	"createServiceAccountToken":           `{"label":"pwned"}`,
	"createOIDCProvider":                  `{"label":"mine","issuer":"https://login.example","clientId":"mine"}`,
	"updateNotice":                        `{"read":true}`,
	"changeEmail":                         `{"email":"mallory@beta.test"}`,
	"createOrganization":                  `{"title":"Mine"}`,
	"updateOrganizationById":              `{"title":"pwned"}`,
	"updateOrganizationAgentInstructions": `{"instructions":{"object":"document","data":{},"nodes":[]}}`,
	"updateMemberInOrganizationById":      `{"role":"admin"}`,
	"inviteUsersToOrganization":           `{"emails":["mallory@beta.test"],"role":"admin"}`,
	"createOrganizationInvite":            `{"role":"admin"}`,
	"updateOrganizationInviteById":        `{"role":"admin"}`,
	"createOrganizationTeam":              `{"title":"pwned"}`,
	"updateTeamInOrganizationById":        `{"title":"pwned"}`,
	"updateMembersInOrganizationTeam":     `{"add":["$user_mallory"]}`,
	"addMemberToOrganizationTeamById":     `{"role":"owner"}`,
	"generateStorageUploadURL":            `{"file":{"name":"a.woff2","type":"","size":5},"kind":"customization_font"}`,
	"createCustomFont":                    `{"fontFamily":"pwned","fontFaces":[{"weight":400,"storageKey":"$upload"}]}`,
	"updateCustomFont":                    `{"fontFamily":"pwned"}`,
	"createOpenAPISpec":                   `{"slug":"pwned","source":{"text":"pwned"}}`,
	"createOrUpdateOpenAPISpecBySlug":     `{"source":{"text":"pwned"}}`,
	"updateOpenAPISpecBySlug":             `{"visibility":"public"}`,
	"ingestConversation":                  `{"id":"pwned","parts":[]}`,
	"answerConversationsIssuesCluster":    `{}`,
	"createConversationsWebhook":          `{"format":"zendesk"}`,
	"createTranslation":                   `{"source":{"space":"$space","language":"en"},"language":"de"}`,
	"updateTranslation":                   `{"instructions":{"object":"document","data":{},"nodes":[]}}`,
	"updateGlossaryEntries":               `{"operations":[{"type":"insert","translations":{"en":"pwned"}}]}`,
	"createWebhook":                       `{"url":"https://pwned.example/"}`,
	"updateWebhook":                       `{"enabled":false}`,
	"createOrganizationSAMLProvider":      `{"label":"pwned"}`,
	"updateOrganizationSAMLProvider":      `{"label":"pwned"}`,
	"createCollection":                    `{"title":"pwned"}`,
	"updateCollectionById":                `{"title":"pwned"}`,
	"moveCollection":                      `{"parent":null}`,
	"transferCollection":                  `{"organization":"$beta"}`,
	"createSpace":                         `{"title":"pwned"}`,
	"updateSpaceById":                     `{"title":"pwned"}`,
	"moveSpace":                           `{"parent":null}`,
	"transferSpace":                       `{"organization":"$beta"}`,
	"createSite":                          `{"title":"pwned"}`,
	"updateSiteById":                      `{"title":"pwned"}`,
	"sortSiteStructure":                   `{"item":{"type":"site-section","id":"$section"}}`,
	"addSectionToSite":                    `{"spaceId":"$space"}`,
	"updateSiteSectionById":               `{"title":"pwned"}`,
	"addSectionGroupToSite":               `{"title":"pwned"}`,
	"updateSiteSectionGroupById":          `{"title":"pwned"}`,
	"addExternalLinkToSite":               `{"title":"pwned","url":"https://pwned.example/"}`,
	"updateSiteExternalLinkById":          `{"title":"pwned"}`,
	"addSectionToGroup":                   `{"sectionId":"$section"}`,
	"addSpaceToSite":                      `{"spaceId":"$space"}`,
	"updateSiteSpaceById":                 `{"path":"pwned"}`,
	"updateSiteCustomizationById":         `{"footer":{"copyright":"pwned"}}`,
	"overrideSiteSpaceCustomizationById":  `{"title":"pwned"}`,
	"updateSiteAdaptiveSchema":            `{"jsonSchema":{"type":"object","properties":{},"additionalProperties":false}}`,
	"updateSiteAdsById":                   `{"status":"disabled"}`,
	"createSiteShareLink":                 `{"name":"pwned"}`,
	"updateSiteShareLinkById":             `{"active":false}`,
	"updateSitePublishingAuthById":        `{"backend":"custom","fallbackURL":"https://pwned.example/"}`,
	"createSiteRedirect":                  `{"source":"/pwned","destination":{"kind":"external","url":"https://pwned.example/"}}`,
	"bulkUpsertSiteRedirects":             `{"redirects":[{"source":"/pwned","destination":{"kind":"external","url":"https://pwned.example/"}}]}`,
	"updateSiteRedirectById":              `{"source":"/pwned"}`,
	"createSiteMcpServer":                 `{"name":"pwned","url":"https://pwned.example/","headers":{}}`,
	"updateSiteMcpServerById":             `{"name":"pwned"}`,
	"inviteToSite":                        `{"role":"admin","users":["$user_mallory"]}`,
	"updateUserPermissionInSite":          `{"role":"admin"}`,
	"updateTeamPermissionInSite":          `{"role":"admin"}`,
	"resolvePublishedContentByUrl":        `{"url":"https://nowhere.example/"}`,
	"searchSiteContent":                   `{"query":"` + marker + `"}`,
	"streamAskInSite":                     `{"question":"` + marker + `"}`,
	"inviteToSpace":                       `{"role":"admin","users":["$user_mallory"]}`,
	"updateUserPermissionInSpace":         `{"role":"admin"}`,
	"updateTeamPermissionInSpace":         `{"role":"admin"}`,
	"importGitRepository":                 `{"url":"https://pwned.example/a.git","ref":"refs/heads/main"}`,
	"exportToGitRepository":               `{"url":"https://pwned.example/a.git","ref":"refs/heads/main","commitMessage":"pwned"}`,
	"connectGitRepository":                `{"url":"https://pwned.example/a.git","ref":"main"}`,
	"inviteToCollection":                  `{"role":"admin","users":["$user_mallory"]}`,
	"updateUserPermissionInCollection":    `{"role":"admin"}`,
	"updateTeamPermissionInCollection":    `{"role":"admin"}`,
	"updateContent":                       `{"changes":[{"operation":"update_page","page":"$page","title":"pwned"}]}`,
	"applyTemplateToSpace":                `{"id":"changelog"}`,
	"createChangeRequest":                 `{"subject":"pwned"}`,
	"updateChangeRequestById":             `{"subject":"pwned"}`,
	"updateChangeRequestContent":          `{"changes":[{"operation":"update_page","page":"$page","title":"pwned"}]}`,
	"submitChangeRequestReview":           `{"status":"approved"}`,
	"requestReviewersForChangeRequest":    `{"users":["$user_mallory"]}`,
	"resolveChangeRequestConflict":        `{"resolution":"mine"}`,
	"postCommentInSpace":                  `{"body":{"markdown":"pwned"}}`,
	"updateCommentInSpace":                `{"resolved":true}`,
	"postCommentReplyInSpace":             `{"body":{"markdown":"pwned"}}`,
	"updateCommentReplyInSpace":           `{"resolved":true}`,
	"postCommentInChangeRequest":          `{"body":{"markdown":"pwned"}}`,
	"updateCommentInChangeRequest":        `{"resolved":true}`,
	"postCommentReplyInChangeRequest":     `{"body":{"markdown":"pwned"}}`,
	"updateCommentReplyInChangeRequest":   `{"resolved":true}`,
}

// about says how operations answer that are about the caller and not about
// the ids of their path.
var about = map[string]int{
	"getApiInformation":                     http.StatusOK,
	"getApiDescription":                     http.StatusOK,
	"getApiReference":                       http.StatusOK,
	"getAuthenticatedUser":                  http.StatusOK,
	"listTokens":                            http.StatusOK,
	"listSessions":                          http.StatusOK,
	"listInbox":                             http.StatusOK,
	"listDeletedOrganizations":              http.StatusOK,
	"readInbox":                             http.StatusOK,
	"getNotifications":                      http.StatusOK,
	"updateNotifications":                   http.StatusOK,
	"changeEmail":                           http.StatusForbidden, // a token cannot
	"createToken":                           http.StatusCreated,
	"listOrganizationsForAuthenticatedUser": http.StatusOK,
	"createOrganization":                    http.StatusCreated,
	"getOrganizationsForEmailDomain":        http.StatusForbidden, // not the caller's domain
	"joinOrganizationWithInvite":            http.StatusPreconditionFailed,
	"listSSOProviderLoginsInOrganization":   http.StatusOK, // for everybody
	"listTemplates":                         http.StatusOK,
	"getEmbedByUrl":                         http.StatusOK,
	"resolvePublishedContentByUrl":          http.StatusNotFound, // that of no site
	"getPublishedContentByUrl":              http.StatusNotFound,
	"receiveGitWebhook":                     http.StatusUnauthorized, // whatever the space is
}

// queries are what an operation cannot be called without.
var queries = map[string]string{
	"searchSpaceContent":        "?query=" + marker,
	"searchOrganizationContent": "?query=" + marker,
	"getPublishedContentByUrl":  "?url=https://nowhere.example/",
	"getContentByUrl":           "?url=https://nowhere.example/",
	"getEmbedByUrl":             "?url=https://nowhere.example/",
	"getEmbedByUrlInSpace":      "?url=https://nowhere.example/",
}

// TestIsolation walks every declared operation with a caller of another
// organization and Acme's ids: it must look as if Acme were not there, show
// nothing of it and change nothing in it. (security: two tenants, foreign ids)
func TestIsolation(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, nil)
		f := newFixture(w)
		// A link is a secret that admits whoever has it; a revoked one does not.
		w.must("admin", "DELETE", "/orgs/$org/link-invites/$invite", "")
		before := f.state()
		for _, op := range w.srv.API.Operations() {
			body := ""
			if op.Method != http.MethodGet && op.Method != http.MethodDelete {
				if body = bodies[op.ID]; body == "" {
					body = "{}"
				}
			}
			a := w.call("mallory", op.Method, f.path(op.Path)+queries[op.ID], w.expand(body))
			want := http.StatusNotFound
			if op.Method == http.MethodDelete {
				want = http.StatusNoContent
			}
			if special, ok := about[op.ID]; ok {
				want = special
			}
			if a.status != want {
				t.Errorf("%s: a foreign caller got %d, want %d: %s", op.ID, a.status, want, a.body)
			}
			if strings.Contains(string(a.body), marker) || strings.Contains(string(a.body), "acme.test") {
				t.Errorf("%s shows Acme to a foreign caller: %s", op.ID, a.body)
			}
		}
		if after := f.state(); after != before {
			t.Errorf("a foreign caller has changed Acme:\nbefore %s\nafter  %s", before, after)
		}
	})
}

// TestIsolationWithinAnOwnSpace asks for Acme's things by their ids, but as
// parts of a space of the caller's own: the space is there, they are not.
func TestIsolationWithinAnOwnSpace(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, nil)
		f := newFixture(w)
		before := f.state()
		theirs := w.vars["space"]
		w.must("mallory", "POST", "/orgs/$beta/spaces", `{"title":"Mine","editMode":"live"}`, "space")
		asked := 0
		for _, op := range w.srv.API.Operations() {
			of := strings.NewReplacer("{spaceId}", w.vars["space"]).Replace(op.Path)
			if of == op.Path || !foreignPart.MatchString(of) {
				continue
			}
			asked++
			body, want := "", http.StatusNotFound
			switch op.Method {
			case http.MethodDelete:
				want = http.StatusNoContent
			case http.MethodPost, http.MethodPut, http.MethodPatch:
				body = w.expand(bodies[op.ID])
			}
			if a := w.call("mallory", op.Method, f.path(of), body); a.status != want || strings.Contains(string(a.body), marker) {
				t.Errorf("%s with an id of another space: %d %s", op.ID, a.status, a.body)
			}
		}
		if asked < 15 {
			t.Errorf("only %d operations were asked", asked)
		}

		// Whoever writes about things of others gets references that lead
		// nowhere, and learns no more.
		w.vars["theirs"] = theirs
		w.must("mallory", "POST", "/spaces/$space/content", `{"changes":[{"operation":"insert_page","ref":"spy","document":{"markdown":
			"# Spy\n\n[a](/spaces/$theirs/pages/$page) [b](/spaces/$theirs) [c](/files/$file) [d](/pages/$page) [e](/collections/$collection) [f](/users/$user_victim)\n\n{% include \"/reusable-content/$reusable\" %}"}}]}`)
		links := w.must("mallory", "GET", "/spaces/$space/links", "")
		var list struct {
			Items []struct{ Status string }
			Stats struct {
				Total  int
				Broken struct{ Total int }
			}
		}
		if err := json.Unmarshal(links.body, &list); err != nil {
			t.Fatal(err)
		}
		if list.Stats.Total < 6 || list.Stats.Broken.Total != list.Stats.Total || strings.Contains(string(links.body), marker) {
			t.Errorf("references to another organization: %s", links.body)
		}
		for _, path := range []string{"/orgs/$beta/search?query=" + marker, "/spaces/$space/search?query=" + marker} {
			if a := w.must("mallory", "GET", path, ""); strings.Contains(string(a.body), `"id"`) {
				t.Errorf("%s: %s", path, a.body)
			}
		}

		w.vars["space"] = theirs
		if after := f.state(); after != before {
			t.Errorf("a foreign caller has changed Acme:\nbefore %s\nafter  %s", before, after)
		}
	})
}

var foreignPart = regexp.MustCompile(`\{(pageId|pagePath|fileId|reusableContentId|documentId|revisionId|changeRequestId|commentId|commentReplyId|operationId)\}`)
