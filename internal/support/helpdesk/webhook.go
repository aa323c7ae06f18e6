package helpdesk

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // what Intercom signs with
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"
)

// maxAge is the maximum age of a signature that includes the time of signing. It limits
// replay attacks.
const maxAge = 5 * time.Minute

// VerifySignature reports whether the body of a webhook request is signed with a secret.
// For Intercom, the secret is the client secret of an app. For Zendesk, it is the signing
// secret of the webhook, and the signature includes the time.
func VerifySignature(format, secret string, header func(string) string, body []byte, now time.Time) bool {
	switch format {
	case Intercom:
		mac := hmac.New(sha1.New, []byte(secret))
		mac.Write(body)
		got, err := hex.DecodeString(strings.TrimPrefix(header("X-Hub-Signature"), "sha1="))
		return err == nil && hmac.Equal(got, mac.Sum(nil))
	case Zendesk:
		stamp := header("X-Zendesk-Webhook-Signature-Timestamp")
		at, err := time.Parse(time.RFC3339, stamp)
		if err != nil || now.Sub(at).Abs() > maxAge {
			return false
		}
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(stamp))
		mac.Write(body)
		got, err := base64.StdEncoding.DecodeString(header("X-Zendesk-Webhook-Signature"))
		return err == nil && hmac.Equal(got, mac.Sum(nil))
	}
	return false
}

// Event returns the conversation of a webhook event, which may have only the new messages.
// ok is false if the event is not about a conversation or has no message.
func Event(format string, body []byte) (c Conversation, ok bool, err error) {
	switch format {
	case Intercom:
		c, err = intercomEvent(body)
	case Zendesk:
		c, err = zendeskEvent(body)
	}
	return c.bounded(), err == nil && c.ID != "" && len(c.Parts) > 0, err
}

func intercomEvent(body []byte) (Conversation, error) {
	var e struct {
		Topic string `json:"topic"`
		Data  struct {
			Item json.RawMessage `json:"item"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &e); err != nil || !strings.HasPrefix(e.Topic, "conversation.") {
		return Conversation{}, err
	}
	var c intercomConversation
	err := json.Unmarshal(e.Data.Item, &c)
	return c.plain(), err
}

// firstWithin is the maximum time from the creation of a ticket to the event for its first
// comment.
const firstWithin = 10 * time.Second

// zendeskEvent reads an event of a ticket, or a ticket in the form that a trigger sends.
func zendeskEvent(body []byte) (Conversation, error) {
	var e struct {
		Type   string        `json:"type"`
		Time   time.Time     `json:"time"`
		Detail zendeskTicket `json:"detail"`
		Ticket zendeskTicket `json:"ticket"`
		Event  struct {
			Comment *struct {
				ID     flexible `json:"id"`
				Body   string   `json:"body"`
				Public *bool    `json:"is_public"`
				Author struct {
					ID    flexible `json:"id"`
					Staff bool     `json:"is_staff"`
				} `json:"author"`
			} `json:"comment"`
		} `json:"event"`
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return Conversation{}, err
	}
	switch {
	case e.Type == "":
		return e.Ticket.plain(), nil
	case !strings.HasPrefix(e.Type, "zen:event-type:ticket."):
		return Conversation{}, nil
	}
	out := e.Detail.plain()
	if c := e.Event.Comment; c != nil {
		role := "user"
		if c.Author.Staff && c.Author.ID != e.Detail.Requester {
			role = "team-member"
		}
		// The first comment of a ticket is its description.
		first := c.Body == e.Detail.Description && e.Detail.CreatedAt != nil && e.Time.Sub(*e.Detail.CreatedAt).Abs() < firstWithin
		if (c.Public == nil || *c.Public) && !first {
			out.addMessage(role, c.Body, c.ID)
		}
	}
	return out, nil
}
