package helpdesk

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestConversationsAreRead(t *testing.T) {
	for name, c := range map[string]struct{ format, in, want string }{
		"intercom": {"intercom", `{"type":"conversation.list","conversations":[{"id":"7","created_at":1767225600,"title":null,"source":{"subject":"Export","body":"<p>It fails</p>","author":{"type":"lead"}},
			"conversation_parts":{"conversation_parts":[{"part_type":"comment","body":"Which one?","author":{"type":"admin"}},{"part_type":"note","body":"secret","author":{"type":"admin"}},{"part_type":"close","body":null,"author":{"type":"bot"}}]}}]}`,
			"7 Export 2026-01-01 [user:<p>It fails</p> team-member:Which one?]"},
		"zendesk": {"zendesk", "{\"id\":5,\"subject\":\"S\",\"created_at\":\"2026-01-02T03:04:05Z\",\"requester_id\":1,\"comments\":[{\"author_id\":1,\"body\":\"Help\"},{\"author_id\":2,\"body\":\"note\",\"public\":false},{\"author_id\":2,\"body\":\"Done\"}]}\n" +
			"{\"id\":6,\"description\":\"Only this\"}\n",
			"5 S 2026-01-02 [user:Help team-member:Done]|6   [user:Only this]"},
		"csv": {"csv", "\ufeffID,Body,Role,Created_At,Plan\n1,\"a, b\",user,2026-01-02,pro\n1,c,team-member,,\n2,d,,,\n",
			"1  2026-01-02 [user:a, b team-member:c] pro|2   [user:d]"},
		"jsonl":                  {"jsonl", "\n" + `[{"id":"1","parts":[{"type":"message","role":"user","body":"x"}]}]`, "1   [user:x]"},
		"none":                   {"jsonl", "", ""},
		"a byte order mark":      {"jsonl", "\ufeff" + `[{"id":"1","parts":[{"type":"message","role":"user","body":"x"}]}]`, "1   [user:x]"},
		"an empty first message": {"csv", "id,body,role\n1,,user\n1,c,team-member\n2,d,user\n", "1   [team-member:c]|2   [user:d]"},
	} {
		var all []string
		err := Read(strings.NewReader(c.in), c.format, func(c Conversation) error {
			at := ""
			if c.Metadata.CreatedAt != nil {
				at = c.Metadata.CreatedAt.Format("2006-01-02")
			}
			var parts []string
			for _, p := range c.Parts {
				parts = append(parts, p.Role+":"+p.Body)
			}
			all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s %s %v %s", c.ID, c.Subject, at, parts, c.Metadata.Attributes["plan"])))
			return nil
		})
		if got := strings.Join(all, "|"); err != nil || got != c.want {
			t.Errorf("%s: %q, want %q: %v", name, got, c.want, err)
		}
	}
	for name, c := range map[string][2]string{"csv": {"a,b\n", "no column id"}, "jsonl": {`{"id":`, "value 1 is not JSON"}, "intercom": {`[1]`, "value 1"}} {
		err := Read(strings.NewReader(c[0]), name, func(Conversation) error { return nil })
		if err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for in, want := range map[string]string{
		"id,body,created_at\n1,x,soon\n":                       "line 2: created_at",
		"id,body,role\n1,\"x\ny\",user\n1,z,admin\n":           `line 4: role is "admin", and not one of user, assistant, team-member`,
		"id,body,role\n1,x," + strings.Repeat("r", 999) + "\n": "line 2: role",
	} {
		if err := Read(strings.NewReader(in), "csv", nil); err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 200 {
			t.Errorf("%q: %v", in, err)
		}
	}
}

func TestWebhooksAreSigned(t *testing.T) {
	body := []byte(`{"id":1}`)
	headers := map[string]string{
		"X-Hub-Signature":                       "sha1=a64abd01291976b35debd870ad13a30c94343831",
		"X-Zendesk-Webhook-Signature":           "cWC3i9/7ZPTZWfgoazOmjtHiJnB/RxLB7+IoidiHwAA=",
		"X-Zendesk-Webhook-Signature-Timestamp": "2026-01-02T03:04:05Z",
	}
	header := func(name string) string { return headers[name] }
	now := time.Date(2026, 1, 2, 3, 9, 0, 0, time.UTC)
	for _, format := range []string{Intercom, Zendesk} {
		if !VerifySignature(format, "secret", header, body, now) {
			t.Errorf("%s: a signature is refused", format)
		}
		none := func(string) string { return "" }
		if VerifySignature(format, "other", header, body, now) || VerifySignature(format, "secret", header, body[1:], now) || VerifySignature(format, "secret", none, body, now) {
			t.Errorf("%s: a wrong signature is accepted", format)
		}
	}
	for _, at := range []time.Duration{-11 * time.Minute, time.Minute} {
		if VerifySignature(Zendesk, "secret", header, body, now.Add(at)) {
			t.Errorf("a signature is accepted %s later", at)
		}
	}
	if VerifySignature("csv", "secret", header, body, now) {
		t.Error("a format without webhooks is accepted")
	}
}
