package webhooks

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/names"
	"github.com/octavo-docs/octavo/internal/store"
)

// maxPatterns is the maximum number of event patterns of a webhook.
const maxPatterns = 50

// Events with names and payloads defined by the API contract. Webhooks receive them only if they list
// these names.
const (
	ContentUpdated   = "space_content_updated"
	GitSyncStarted   = "space_gitsync_started"
	GitSyncCompleted = "space_gitsync_completed"
)

// contracted returns the name of the contract event for an action, or "".
func contracted(action string) string {
	switch {
	case strings.HasPrefix(action, "space.content."):
		return ContentUpdated
	case action == "space.gitsync.started":
		return GitSyncStarted
	case action == "space.gitsync.completed":
		return GitSyncCompleted
	}
	return ""
}

func isContracted(pattern string) bool {
	return pattern == ContentUpdated || pattern == GitSyncStarted || pattern == GitSyncCompleted
}

// everything is the pattern that matches all events of our own.
const everything = "*"

// testAction is the type of a test event. Only the webhook that is tested receives it.
const testAction = "webhook.test"

// checkPatterns returns the patterns without duplicates. No pattern means everything. A
// pattern that matches nothing that can happen is refused: nobody would notice.
func checkPatterns(in []string) ([]string, error) {
	if len(in) == 0 {
		return []string{everything}, nil
	}
	if len(in) > maxPatterns {
		return nil, errs.Field("events", "has more than %d patterns; use a pattern such as space.* for many events", maxPatterns)
	}
	var out []string
	var wrong []errs.Detail
	for i, p := range in {
		if why := problemOf(p); why != "" {
			wrong = append(wrong, errs.Detail{Path: fmt.Sprintf("events[%d]", i), Message: why})
		} else if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out, errs.Fields(wrong)
}

// problemOf returns why no event has a pattern, or "" if some can have it.
func problemOf(pattern string) string {
	if pattern == everything || isContracted(pattern) {
		return ""
	}
	actions := audit.Actions()
	group, is := strings.CutSuffix(pattern, ".*")
	known := []string{ContentUpdated, GitSyncStarted, GitSyncCompleted}
	for _, a := range actions {
		if a == pattern || is && strings.HasPrefix(a, group+".") {
			return ""
		}
		known = append(known, a)
		for at, c := range a {
			if above := a[:at] + ".*"; c == '.' && is && !slices.Contains(known, above) {
				known = append(known, above)
			}
		}
	}
	if near := names.Nearest(pattern, known); near != "" {
		return "is no event; did you mean " + near + "?"
	}
	return fmt.Sprintf("is no event; use actions of the audit log such as space.update, groups of them such as space.content.*, * for all, or %s, %s or %s", ContentUpdated, GitSyncStarted, GitSyncCompleted)
}

// matches reports whether one of the patterns matches an action.
func matches(patterns []string, action string) bool {
	for _, p := range patterns {
		group, is := strings.CutSuffix(p, "*")
		if p == action || is && strings.HasPrefix(action, group) {
			return true
		}
	}
	return false
}

// event is the payload of an event: the content of its audit entry.
type event struct {
	EventID      string          `json:"eventId"`
	Type         string          `json:"type"`
	Organization docs.OrgID      `json:"organization"`
	Actor        docs.UserID     `json:"actor"`
	At           docs.Time       `json:"at"`
	Subject      subject         `json:"subject"`
	Data         json.RawMessage `json:"data"`
}

type subject struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
}

// contractEvent is the payload of an event that the API contract defines.
type contractEvent struct {
	EventID  string          `json:"eventId"`
	Type     string          `json:"type"`
	Space    string          `json:"spaceId"`
	Revision docs.RevisionID `json:"revisionId"`
	Commit   *string         `json:"commitId,omitempty"` // of git events
	State    docs.GitState   `json:"state,omitempty"`    // of completed git events
}

// message is an event as it is sent to one webhook.
type message struct {
	event, kind string
	body        string
}

// messages returns the messages of a change to a webhook: none, one, or two if the webhook listens to
// the change under both names. Receivers discard duplicates by id, so the second message has an
// id of its own.
func messages(w docs.Webhook, a store.AuditRow) ([]message, error) {
	var out []message
	if a.Action == "" || a.Action == testAction {
		return nil, nil
	}
	if matches(w.Events, a.Action) {
		m, err := auditMessage(a)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	if kind := contracted(a.Action); kind != "" && slices.Contains(w.Events, kind) {
		m, is, err := contractMessage(a, kind)
		if err != nil {
			return nil, err
		}
		if is {
			out = append(out, m)
		}
	}
	return out, nil
}

// contractMessage returns a contract event. It reports false for a change of content without a
// revision, for which the contract has no event.
func contractMessage(a store.AuditRow, kind string) (message, bool, error) {
	var data struct {
		Revision docs.RevisionID `json:"revision"`
		Commit   string          `json:"commit"`
		State    docs.GitState   `json:"state"`
	}
	if err := json.Unmarshal([]byte(a.Data), &data); err != nil || data.Revision == "" {
		return message{}, false, err
	}
	e := contractEvent{EventID: a.ID + "c", Type: kind, Space: a.SubjectID, Revision: data.Revision}
	if kind != ContentUpdated {
		e.Commit = &data.Commit
	}
	if kind == GitSyncCompleted {
		e.State = data.State
	}
	b, err := json.Marshal(e)
	return message{e.EventID, kind, string(b)}, true, err
}

func auditMessage(a store.AuditRow) (message, error) {
	b, err := json.Marshal(event{a.ID, a.Action, a.Org, a.Actor, a.At, subject{a.SubjectKind, a.SubjectID}, json.RawMessage(a.Data)})
	return message{a.ID, a.Action, string(b)}, err
}
