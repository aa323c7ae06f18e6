// Package helpdesk reads conversations from exports of help desk programs, and from their
// webhook requests (webhook.go). The input is untrusted text: the package only decodes it,
// and the caller limits its size.
package helpdesk

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
)

// Conversation is a conversation in the form of the API.
type Conversation struct {
	ID       string    `json:"id"`
	Subject  string    `json:"subject,omitempty"`
	Metadata Metadata  `json:"metadata"`
	Parts    []Message `json:"parts"`
}

// Metadata holds the data of a conversation besides its messages.
type Metadata struct {
	URL        string            `json:"url,omitempty"`
	Attributes map[string]string `json:"attributes,omitempty"`
	CreatedAt  *time.Time        `json:"createdAt,omitempty"`
}

// Message is a part of a conversation.
type Message struct {
	Type string `json:"type"`
	Role string `json:"role"`
	Body string `json:"body"`
	Key  string `json:"-"` // the ID of the message; empty if the source has none
}

// maxSubject is the maximum number of characters of a subject.
const maxSubject = 512

// maxKey is the maximum number of characters of a message's key.
const maxKey = 64

// bounded returns a conversation whose subject is cut to the limit of the API.
func (c Conversation) bounded() Conversation {
	c.Subject = docs.FirstRunes(c.Subject, maxSubject)
	return c
}

// addMessage adds a message, unless its body is empty.
func (c *Conversation) addMessage(role, body string, key flexible) {
	if strings.TrimSpace(body) != "" {
		c.Parts = append(c.Parts, Message{"message", role, body, docs.FirstRunes(string(key), maxKey)})
	}
}

// The formats of help desks that export JSON and have webhooks.
const (
	Intercom = "intercom"
	Zendesk  = "zendesk"
)

// Read calls fn for each conversation of a file.
func Read(in io.Reader, format string, fn func(Conversation) error) error {
	take := func(c Conversation) error { return fn(c.bounded()) }
	switch format {
	case "csv":
		return readCSV(in, take)
	case Intercom:
		return eachJSON(in, "conversations", func(c intercomConversation) error { return take(c.plain()) })
	case Zendesk:
		return eachJSON(in, "tickets", func(c zendeskTicket) error { return take(c.plain()) })
	}
	return eachJSON(in, "conversations", take)
}

// byteOrderMark is written at the start of a file by some programs.
const byteOrderMark = "\ufeff"

// eachJSON calls fn for each value of a file. The file is a JSON list, a sequence of
// values, or an object with a list under a key.
func eachJSON[T any](in io.Reader, key string, fn func(T) error) error {
	r := bufio.NewReader(in)
	d := json.NewDecoder(r)
	if mark, _ := r.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
		_, _ = r.Discard(len(mark)) // cannot fail: Peek has read the bytes
	}
	for {
		b, err := r.Peek(1)
		if err == nil && strings.IndexByte(" \t\r\n", b[0]) >= 0 {
			_, _ = r.Discard(1) // cannot fail: Peek has read the byte
			continue
		}
		if err == nil && b[0] == '[' {
			_, err = d.Token()
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		break
	}
	for n := 1; d.More(); n++ {
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return fmt.Errorf("value %d is not JSON: %w", n, err)
		}
		if err := eachValue(raw, key, fn); err != nil {
			return fmt.Errorf("value %d: %w", n, err)
		}
	}
	return nil
}

// eachValue calls fn for each element of the list that an object has under a key, or for
// the object itself if it has no such list.
func eachValue[T any](raw json.RawMessage, key string, fn func(T) error) error {
	var page map[string]json.RawMessage
	if err := json.Unmarshal(raw, &page); err != nil {
		return err
	}
	list, is := page[key]
	if !is || len(list) == 0 || list[0] != '[' {
		list = json.RawMessage("[" + string(raw) + "]")
	}
	var all []T
	if err := json.Unmarshal(list, &all); err != nil {
		return err
	}
	for _, v := range all {
		if err := fn(v); err != nil {
			return err
		}
	}
	return nil
}

// flexible is a text, a number or null in JSON.
type flexible string

func (f *flexible) UnmarshalJSON(b []byte) error {
	switch text := strings.TrimSpace(string(b)); {
	case text == "null":
		*f = ""
	case strings.HasPrefix(text, `"`):
		return json.Unmarshal(b, (*string)(f))
	case strings.HasPrefix(text, "{"), strings.HasPrefix(text, "["):
		return errors.New("an id is a text or a number")
	default:
		*f = flexible(text)
	}
	return nil
}

// intercomConversation is a conversation as Intercom exports it.
type intercomConversation struct {
	ID        flexible `json:"id"`
	Title     string   `json:"title"`
	CreatedAt int64    `json:"created_at"` // seconds
	Source    struct {
		ID      flexible       `json:"id"`
		Subject string         `json:"subject"`
		Body    string         `json:"body"`
		URL     string         `json:"url"`
		Author  intercomAuthor `json:"author"`
	} `json:"source"`
	Parts struct {
		Parts []struct {
			ID     flexible       `json:"id"`
			Type   string         `json:"part_type"`
			Body   string         `json:"body"`
			Author intercomAuthor `json:"author"`
		} `json:"conversation_parts"`
	} `json:"conversation_parts"`
}

type intercomAuthor struct {
	Type string `json:"type"`
}

func (a intercomAuthor) role() string {
	switch a.Type {
	case "admin", "team":
		return "team-member"
	case "bot":
		return "assistant"
	}
	return "user"
}

func (c intercomConversation) plain() Conversation {
	out := Conversation{ID: string(c.ID), Subject: cmp.Or(c.Title, c.Source.Subject)}
	if c.CreatedAt > 0 {
		at := time.Unix(c.CreatedAt, 0).UTC()
		out.Metadata.CreatedAt = &at
	}
	out.addMessage(c.Source.Author.role(), c.Source.Body, c.Source.ID)
	for _, p := range c.Parts.Parts {
		if p.Type != "note" { // notes are internal to the team
			out.addMessage(p.Author.role(), p.Body, p.ID)
		}
	}
	return out
}

// zendeskTicket is a ticket as Zendesk exports it.
type zendeskTicket struct {
	ID          flexible   `json:"id"`
	Subject     string     `json:"subject"`
	Description string     `json:"description"`
	CreatedAt   *time.Time `json:"created_at"`
	Requester   flexible   `json:"requester_id"`
	Comments    []struct {
		ID     flexible `json:"id"`
		Author flexible `json:"author_id"`
		Body   string   `json:"body"`
		HTML   string   `json:"html_body"`
		Public *bool    `json:"public"`
	} `json:"comments"`
}

func (t zendeskTicket) plain() Conversation {
	out := Conversation{ID: string(t.ID), Subject: t.Subject, Metadata: Metadata{CreatedAt: t.CreatedAt}}
	for _, c := range t.Comments {
		role := "team-member"
		if c.Author == t.Requester {
			role = "user"
		}
		if c.Public == nil || *c.Public { // private comments are notes of the team
			out.addMessage(role, cmp.Or(c.Body, c.HTML), c.ID)
		}
	}
	if len(out.Parts) == 0 { // an export without comments
		out.addMessage("user", t.Description, "")
	}
	return out
}

// csvTimes are the accepted layouts of a time.
var csvTimes = []string{time.RFC3339Nano, "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02"}

// roles are the valid roles of the author of a message.
var roles = []string{"user", "assistant", "team-member"}

// readCSV reads a table with a header. The columns id and body are required; subject, role,
// created_at and url are optional. Other columns are attributes. Consecutive rows with the
// same id are the messages of one conversation.
func readCSV(in io.Reader, fn func(Conversation) error) error {
	r := csv.NewReader(in)
	r.FieldsPerRecord = -1
	header, err := r.Read()
	if err != nil {
		return fmt.Errorf("the header cannot be read: %w", err)
	}
	column := map[string]int{}
	for i, name := range header {
		column[strings.ToLower(strings.TrimSpace(strings.TrimPrefix(name, byteOrderMark)))] = i
	}
	for _, name := range []string{"id", "body"} {
		if _, is := column[name]; !is {
			return fmt.Errorf("the header has no column %s", name)
		}
	}
	var now Conversation
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		get := func(name string) string {
			if i, is := column[name]; is && i < len(row) {
				return strings.TrimSpace(row[i])
			}
			return ""
		}
		line, _ := r.FieldPos(0)
		if id := get("id"); id != now.ID || now.ID == "" {
			if now.ID != "" {
				if err := fn(now); err != nil {
					return err
				}
			}
			if now, err = csvConversation(get, column); err != nil {
				return fmt.Errorf("line %d: %w", line, err)
			}
		}
		role := cmp.Or(get("role"), "user")
		if !slices.Contains(roles, role) {
			return fmt.Errorf("line %d: role is %.50q, and not one of %s", line, role, strings.Join(roles, ", "))
		}
		now.addMessage(role, get("body"), "")
	}
	if now.ID == "" {
		return nil
	}
	return fn(now)
}

// csvConversation returns the conversation that begins with a row.
func csvConversation(get func(string) string, columns map[string]int) (Conversation, error) {
	out := Conversation{ID: get("id"), Subject: get("subject"), Metadata: Metadata{URL: get("url"), Attributes: map[string]string{}}}
	for name := range columns {
		switch name {
		case "id", "subject", "url", "body", "role", "created_at":
		default:
			if v := get(name); name != "" && v != "" {
				out.Metadata.Attributes[name] = v
			}
		}
	}
	text := get("created_at")
	if text == "" {
		return out, nil
	}
	for _, form := range csvTimes {
		if at, err := time.Parse(form, text); err == nil {
			out.Metadata.CreatedAt = &at
			return out, nil
		}
	}
	return out, fmt.Errorf("created_at is %q, and not a time such as 2026-03-01T10:00:00Z", text)
}
