package api_test

import (
	"context"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

// changesNothing are the operations other than GET that change nothing that the
// audit log is about.
var changesNothing = map[string]bool{
	"updateOrganizationMemberLastSeenAt": true, "prewarmSiteSearch": true, "searchSiteContent": true, "streamAskInSite": true, "resolvePublishedContentByUrl": true,
	"trackEventsInSiteById": true, "aggregateSiteEvents": true,
	"updateNotice": true, "readInbox": true, // what somebody has looked at is nobody else's business
	"generateStorageUploadURL": true, // the upload is recorded when it is used
	"receiveGitWebhook":        true, // what it starts is recorded when it runs
}

// noteAudit looks for the audit row of a request that succeeded, in the
// organizations of the script and in the one that the answer is about.
func (w *world) noteAudit(id string, a answer) {
	w.t.Helper()
	orgs := []string{"", w.vars["org"], w.vars["beta"]}
	if m, ok := a.json().(map[string]any); ok && m["object"] == "organization" {
		orgs = append(orgs, m["id"].(string))
	}
	for _, org := range orgs {
		rows, _, err := w.srv.Store.Audit(context.Background(), docs.OrgID(org), store.AuditFilter{}, store.Page{Limit: 100})
		if err != nil {
			w.t.Fatal(err)
		}
		for _, row := range rows {
			if row.Request != a.header.Get("X-Request-Id") {
				continue
			}
			w.seen.audited[id] = true
			if org != "" && row.Action != "webhook.test" && !slices.Contains(audit.Actions(), row.Action) {
				w.t.Errorf("%s is not in the list of audit.Actions", row.Action)
			}
			if strings.Contains(row.Data, `"changes":`) {
				w.seen.described[id] = true
			}
		}
	}
}
