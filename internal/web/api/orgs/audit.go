package orgs

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *handlers) audits() {
	const tag = "Audit log"
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listAuditEvents", Route: "GET /orgs/{organizationId}/audit", Tag: tag, Allow: authz.Org(authz.ReadAsAdmin),
		Summary: "List who did what in an organization, newest first.",
		About:   "A page looks at 5,000 events, so one with a filter may be short or empty and have a next one.",
	}, h.audit)
	kernel.RegisterStream(h.Kernel, kernel.Op{
		ID: "exportAuditEvents", Route: "GET /orgs/{organizationId}/audit/export", Tag: tag, Allow: authz.Org(authz.ReadAsAdmin),
		Sends: []string{"application/jsonl"}, Time: kernel.TransferTime,
		Summary: "Download who did what in an organization, newest first, as JSON lines.",
	}, h.exportAudit)
	h.auditEvents(tag)
}

// AuditEvent is the JSON form of an event of the audit log.
type AuditEvent struct {
	Object  string         `json:"object" enum:"audit-event"`
	ID      string         `json:"id"`
	At      docs.Time      `json:"at"`
	Actor   string         `json:"actor" doc:"Id of the user; octavo:system is the server. Empty: the operator."`
	Token   string         `json:"token,omitempty" doc:"Id of the token."`
	Request string         `json:"request,omitempty" doc:"Id of the request, or command line."`
	Action  string         `json:"action"`
	Subject auditSubject   `json:"subject"`
	Data    map[string]any `json:"data"`
}

type auditSubject struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
}

// AuditFilter holds the filters of the audit log.
type AuditFilter struct {
	Actor       string `query:"actor" maxLength:"100" doc:"Id of the user who did it, or me."`
	Action      string `query:"action" maxLength:"100" doc:"Such as space.delete."`
	SubjectKind string `query:"subjectKind" maxLength:"100" doc:"Such as space."`
	Subject     string `query:"subject" maxLength:"256" doc:"Id of the thing that it was done to."`
	From        string `query:"from" format:"date-time" doc:"Events of this moment and later."`
	Until       string `query:"until" format:"date-time" doc:"Events before this moment."`
}

func (c AuditFilter) filter(g *authz.Grant) (f store.AuditFilter, err error) {
	f = store.AuditFilter{Actor: wire.UserOf(g, docs.UserID(c.Actor)), Action: c.Action, SubjectKind: c.SubjectKind, SubjectID: c.Subject}
	if f.From, err = wire.ParseTime("query.from", c.From); err != nil {
		return f, err
	}
	f.Until, err = wire.ParseTime("query.until", c.Until)
	return f, err
}

type auditIn struct {
	wire.OrgIn
	kernel.Paged
	AuditFilter
}

func (h *handlers) audit(ctx context.Context, in *auditIn) (*kernel.Page[AuditEvent], error) {
	f, err := in.filter(authz.FromContext(ctx))
	if err != nil {
		return nil, err
	}
	return kernel.ListOf(ctx, h.Kernel, in.Paged, h.Orgs.AuditLog.List(in.Org, f), auditEvent)
}

func auditEvent(r store.AuditRow) AuditEvent {
	w := AuditEvent{
		Object: "audit-event", ID: r.ID, At: r.At, Actor: string(r.Actor), Token: string(r.Token), Request: r.Request,
		Action: r.Action, Subject: auditSubject{r.SubjectKind, r.SubjectID}, Data: map[string]any{},
	}
	_ = json.Unmarshal([]byte(r.Data), &w.Data) // the server wrote it as a JSON object
	return w
}

type exportAuditIn struct {
	wire.OrgIn
	AuditFilter
}

// exportPage is the number of events that an export reads at once.
const exportPage = 1000

// exportAudit streams the audit log as JSON lines, one page of events at a time.
func (h *handlers) exportAudit(ctx context.Context, in *exportAuditIn) (kernel.Stream, error) {
	f, err := in.filter(authz.FromContext(ctx))
	if err != nil {
		return nil, err
	}
	list := h.Orgs.AuditLog.List(in.Org, f)
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Content-Type", "application/jsonl")
		w.Header().Set("Content-Disposition", `attachment; filename="audit.jsonl"`)
		for p := (store.Page{Limit: exportPage}); ; {
			rows, next, err := list.Page(r.Context(), p)
			if err != nil {
				return err
			}
			for _, row := range rows {
				if err := kernel.WriteJSON(w, auditEvent(row)); err != nil {
					return nil // the client closed the connection
				}
			}
			if len(next) == 0 {
				return nil
			}
			p.After = next
		}
	}, nil
}
