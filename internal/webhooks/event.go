package webhooks

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Limits of what a webhook listens to.
const (
	maxPatterns = 50
	maxPattern  = 100
)

// ContentUpdated is the event of the contract. It has a name and a form of
// its own, and is sent to those who ask for it by that name.
const ContentUpdated = "space_content_updated"

// everything is the pattern of all our own events.
const everything = "*"

// testAction is the event that a test sends. It goes to the webhook that is
// tested and to no other.
const testAction = "webhook.test"

var patternRE = regexp.MustCompile(`^[a-z][a-z0-9_-]*(\.[a-z][a-z0-9_-]*)*(\.\*)?$`)

// checkPatterns gives patterns without repeats; none is everything.
func checkPatterns(in []string) ([]string, error) {
	if len(in) == 0 {
		return []string{everything}, nil
	}
	if len(in) > maxPatterns {
		return nil, errs.Field("body.events", "has more than %d patterns; a pattern such as space.* stands for many events", maxPatterns)
	}
	var out []string
	for _, p := range in {
		if len(p) > maxPattern || p != everything && p != ContentUpdated && !patternRE.MatchString(p) {
			return nil, errs.Field("body.events", "must be actions of the audit log such as space.update, groups of them such as space.content.*, * for all, or %s", ContentUpdated)
		}
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out, nil
}

// matches tells whether one of the patterns stands for an action.
func matches(patterns []string, action string) bool {
	for _, p := range patterns {
		group, is := strings.CutSuffix(p, "*")
		if p == action || is && strings.HasPrefix(action, group) {
			return true
		}
	}
	return false
}

// event is what we send of a change: what the audit log has of it.
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

// contentUpdated is the event of the contract.
type contentUpdated struct {
	EventID  string          `json:"eventId"`
	Type     string          `json:"type"`
	Space    string          `json:"spaceId"`
	Revision docs.RevisionID `json:"revisionId"`
}

// message is an event as one webhook gets it.
type message struct {
	event, kind string
	body        string
}

// messages gives what a webhook is sent of a change: nothing, one message,
// or two if it listens to the same change under both names. Receivers drop
// what they have seen by its id, so the second has an id of its own.
func messages(w docs.Webhook, a store.AuditRow) ([]message, error) {
	var out []message
	if a.Action == "" || a.Action == testAction {
		return nil, nil
	}
	if matches(w.Events, a.Action) {
		m, err := ours(a)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	if slices.Contains(w.Events, ContentUpdated) && strings.HasPrefix(a.Action, "space.content.") {
		var data struct {
			Revision docs.RevisionID `json:"revision"`
		}
		if err := json.Unmarshal([]byte(a.Data), &data); err != nil {
			return nil, err
		}
		if data.Revision == "" {
			return out, nil
		}
		id := a.ID + "c"
		b, err := json.Marshal(contentUpdated{id, ContentUpdated, a.SubjectID, data.Revision})
		if err != nil {
			return nil, err
		}
		out = append(out, message{id, ContentUpdated, string(b)})
	}
	return out, nil
}

func ours(a store.AuditRow) (message, error) {
	b, err := json.Marshal(event{a.ID, a.Action, a.Org, a.Actor, a.At, subject{a.SubjectKind, a.SubjectID}, json.RawMessage(a.Data)})
	return message{a.ID, a.Action, string(b)}, err
}
