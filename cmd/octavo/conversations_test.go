package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
		"jsonl": {"jsonl", "\n" + `[{"id":"1","parts":[{"type":"message","role":"user","body":"x"}]}]`, "1   [user:x]"},
		"none":  {"jsonl", "", ""},
	} {
		var all []string
		err := readConversations(strings.NewReader(c.in), c.format, func(c importedConversation) error {
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
		err := readConversations(strings.NewReader(c[0]), name, func(importedConversation) error { return nil })
		if err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := readConversations(strings.NewReader("id,body,created_at\n1,x,soon\n"), "csv", nil); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Error(err)
	}
}

func TestConversationsAreImported(t *testing.T) {
	at := startServer(t, false)
	file := filepath.Join(t.TempDir(), "tickets.csv")
	text := "id,body,subject\n"
	for n := range 250 {
		text += fmt.Sprintf("%d,How do I export page %d?,Export\n", n, n)
	}
	if err := os.WriteFile(file, []byte(text+"empty,,\nbig,"+strings.Repeat("x", 1<<20+1)+",\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	args := []string{"conversations", "import", "--url=" + at.URL, "--token=" + at.Token, "--format=csv", file}
	for range 2 { // the second time changes nothing
		out.Reset()
		if code := run(args, streams{&out, &out}); code != 0 || !strings.Contains(out.String(), "250 conversations were sent, 2 were left out") || !strings.Contains(out.String(), `"big": it has more than 1 MB`) {
			t.Errorf("%d: %s", code, out.String())
		}
	}
	out.Reset()
	if code := run(append(args, "--source=nowhere"), streams{&out, &out}); code == 0 || !strings.Contains(out.String(), "400") {
		t.Errorf("%d: %s", code, out.String())
	}
}
