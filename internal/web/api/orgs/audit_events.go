package orgs

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

// auditEvents declares the audit log in the form that clients of GitBook know. The log is the
// Same as that of listAuditEvents.
func (h *handlers) auditEvents(tag string) {
	const root = "/orgs/{organizationId}/audit-event"
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listOrganizationAuditEvents", Route: "GET " + root + "s", Tag: tag, Allow: authz.Org(authz.ReadAsAdmin),
		Summary: "List who did what in an organization, newest first, in the form of GitBook.",
		About:   "A page looks at 5,000 events, so one with a filter may be short or empty and have a next one.",
	}, h.listAuditEvents)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getOrganizationAuditEvent", Route: "GET " + root + "s/{auditEventId}", Tag: tag, Allow: authz.Org(authz.ReadAsAdmin),
		Summary: "Get an event of the audit log with its details.",
	}, h.getAuditEvent)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listOrganizationAuditEventActions", Route: "GET " + root + "-actions", Tag: tag, Allow: authz.Org(authz.ReadAsAdmin),
		Summary: "List the actions of the newest 5,000 events of the audit log.",
	}, h.listAuditActions)
}

// OrganizationAuditEvent is the JSON form of an event of the audit log in the form of GitBook.
type OrganizationAuditEvent struct {
	Object     string        `json:"object" enum:"audit-event"`
	ID         string        `json:"id" format:"uuid" doc:"Made of the id in listAuditEvents."`
	OccurredAt docs.Time     `json:"occurredAt"`
	Action     string        `json:"action"`
	Actor      auditActor    `json:"actor"`
	Source     string        `json:"source" enum:"ui,api,script,workflow" doc:"api: with a token; ui: in a session; script: the command line; workflow: the server itself."`
	Target     auditTarget   `json:"target"`
	URLs       wire.Location `json:"urls"`
}

// OrganizationAuditEventDetails is an event with its details.
type OrganizationAuditEventDetails struct {
	OrganizationAuditEvent
	ExecutionID   string         `json:"executionId,omitempty" doc:"Id of the request, or command line."`
	SchemaVersion int            `json:"schemaVersion"`
	Payload       map[string]any `json:"payload"`
}

type auditActor struct {
	Type string `json:"type" enum:"user,system"`
	ID   string `json:"id" doc:"Id of the user; octavo:system is the server, octavo:operator the command line."`
}

type auditTarget struct {
	Type string `json:"type"`
	ID   string `json:"id"`
}

// operator is the id of the actor of events that the operator caused on the command line.
const operator = "octavo:operator"

func (h *handlers) organizationAuditEvent(r store.AuditRow) OrganizationAuditEvent {
	id := docs.UUID(r.ID)
	w := OrganizationAuditEvent{
		Object: "audit-event", ID: id, OccurredAt: r.At, Action: r.Action, Actor: auditActor{"user", string(r.Actor)}, Source: "ui",
		Target: auditTarget{r.SubjectKind, r.SubjectID}, URLs: wire.Location{Location: h.Location("orgs", string(r.Org), "audit-events", id)},
	}
	switch {
	case r.Actor == "":
		w.Actor, w.Source = auditActor{"system", operator}, "script"
	case r.Actor == authz.System.User:
		w.Actor.Type, w.Source = "system", "workflow"
	case r.Token != "":
		w.Source = "api"
	}
	return w
}

type listAuditEventsIn struct {
	wire.OrgIn
	kernel.Paged
	From   string `query:"from" format:"date-time" doc:"Events of this moment and later."`
	To     string `query:"to" format:"date-time" doc:"Events of this moment and earlier."`
	Action string `query:"action" maxLength:"100" doc:"Such as space.delete."`
	Actor  string `query:"actor" maxLength:"100" doc:"Id of the user who did it, or me."`
	Target string `query:"target" maxLength:"256" doc:"Id of the thing that it was done to."`
}

func (h *handlers) listAuditEvents(ctx context.Context, in *listAuditEventsIn) (*kernel.Page[OrganizationAuditEvent], error) {
	f, err := AuditFilter{Actor: in.Actor, Action: in.Action, Subject: in.Target, From: in.From}.filter(authz.FromContext(ctx))
	if err != nil {
		return nil, err
	}
	if f.Until, err = wire.ParseTime("query.to", in.To); err != nil {
		return nil, err
	}
	if !f.Until.IsZero() {
		f.Until++
	}
	return kernel.ListOf(ctx, h.Kernel, in.Paged, h.Orgs.AuditLog.List(in.Org, f), h.organizationAuditEvent)
}

type auditEventIn struct {
	wire.OrgIn
	ID string `path:"auditEventId" maxLength:"64"`
}

func (h *handlers) getAuditEvent(ctx context.Context, in *auditEventIn) (*kernel.Out[OrganizationAuditEventDetails], error) {
	r, err := h.Orgs.AuditLog.Event(ctx, in.Org, in.ID)
	if err != nil {
		return nil, err
	}
	w := OrganizationAuditEventDetails{OrganizationAuditEvent: h.organizationAuditEvent(r), ExecutionID: r.Request, SchemaVersion: 1, Payload: map[string]any{}}
	_ = json.Unmarshal([]byte(r.Data), &w.Payload) // the server wrote it as a JSON object
	return kernel.OK(w), nil
}

// AuditEventAction is the JSON form of an action of the audit log.
type AuditEventAction struct {
	Object string `json:"object" enum:"audit-event-action"`
	ID     string `json:"id"`
	Label  string `json:"label"`
}

type auditActions struct {
	Items []AuditEventAction `json:"items"`
}

func (h *handlers) listAuditActions(ctx context.Context, in *wire.OrgIn) (*kernel.Out[auditActions], error) {
	names, err := h.Orgs.AuditLog.Actions(ctx, in.Org)
	w := auditActions{Items: []AuditEventAction{}}
	for _, name := range names {
		w.Items = append(w.Items, AuditEventAction{"audit-event-action", name, actionLabel(name)})
	}
	return kernel.OK(w), err
}

// actionLabel returns an action as words, such as "Space: delete".
func actionLabel(action string) string {
	noun, verb, _ := strings.Cut(action, ".")
	words := strings.NewReplacer(".", " ", "_", " ", "-", " ")
	noun = words.Replace(noun)
	if noun != "" {
		noun = strings.ToUpper(noun[:1]) + noun[1:]
	}
	return noun + ": " + words.Replace(verb)
}
