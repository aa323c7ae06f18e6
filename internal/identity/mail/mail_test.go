package mail

import (
	"context"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/testing/testmail"
)

func TestSMTPSendsTextAndHTML(t *testing.T) {
	srv := testmail.Start(t)
	s, err := ParseSMTP(srv.URL(), "Octavo <docs@example.com>")
	if err != nil {
		t.Fatal(err)
	}
	m := Message{
		To: "ada@example.com", Subject: "Grüße <b>", Text: []string{"Hello & <i>welcome</i>.", strings.Repeat("long ", 60)},
		Action: "Sign in", Link: "https://docs.example.com/login/link?key=a_b-c&x=1", Small: []string{"Ignore it otherwise."},
	}
	if err := s.Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	got := srv.Messages()[0]
	if got.To != "ada@example.com" || got.From != "docs@example.com" || got.Subject != m.Subject || got.Header.Get("Auto-Submitted") != "auto-generated" {
		t.Errorf("%+v", got)
	}
	for _, want := range []string{"Hello & <i>welcome</i>.\n\n", "Sign in:\n" + m.Link + "\n\n", "Ignore it otherwise.\n"} {
		if !strings.Contains(got.Text, want) {
			t.Errorf("the text has no %q:\n%s", want, got.Text)
		}
	}
	for _, want := range []string{"Hello &amp; &lt;i&gt;welcome", `href="https://docs.example.com/login/link?key=a_b-c&amp;x=1"`} {
		if !strings.Contains(got.HTML, want) {
			t.Errorf("the HTML has no %q:\n%s", want, got.HTML)
		}
	}
	srv.Refuse(true)
	if err := s.Send(t.Context(), m); err == nil || !strings.Contains(err.Error(), srv.Addr) {
		t.Errorf("refused: %v", err)
	}
}

// Text that users choose cannot inject a header into a message.
func TestNoHeaderIsInjected(t *testing.T) {
	srv := testmail.Start(t)
	s, err := ParseSMTP(srv.URL(), "docs@example.com")
	if err != nil {
		t.Fatal(err)
	}
	err = s.Send(t.Context(), Message{To: "ada@example.com", Subject: "Hi\r\nBcc: eve@example.com\r\n\r\nx", Text: []string{"a"}})
	for _, m := range srv.Messages() {
		if m.Header.Get("Bcc") != "" || !strings.HasPrefix(m.Text, "a") {
			t.Errorf("%+v", m)
		}
	}
	if err == nil && len(srv.Messages()) != 1 {
		t.Error("nothing came")
	}
}

func TestParseSMTP(t *testing.T) {
	for address, want := range map[string]SMTP{
		"smtp://mail.example.com":                  {Host: "mail.example.com", Port: 587, Security: StartTLS},
		"smtps://u%40x:p%3Aw@mail.example.com:999": {Host: "mail.example.com", Port: 999, User: "u@x", Password: "p:w", Security: TLS},
		"smtp+plain://127.0.0.1":                   {Host: "127.0.0.1", Port: 25, Security: Plain},
	} {
		want.From = "a@b.example"
		if got, err := ParseSMTP(address, "a@b.example"); err != nil || got != want {
			t.Errorf("%s: %+v %v", address, got, err)
		}
	}
	for _, bad := range []string{"", "mail.example.com", "http://x", "smtp://", "smtp://user:secret@host/path"} {
		if _, err := ParseSMTP(bad, "a@b.example"); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if _, err := ParseSMTP("smtp://x", "nobody"); err == nil {
		t.Error("a sender that is no address")
	}
	if err := (None{}).Send(context.Background(), Message{}); err == nil {
		t.Error("nothing was sent")
	}
}

func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"Ada Lovelace": "Ada Lovelace", "a\r\nb\u202ec": "a b c", "https://evil.example www.x": "https: evil.\u2060example www x",
		"evil.com/login": "evil.\u2060com/login", "Ask root@evil.co.uk.": "Ask root@\u2060evil.\u2060co.\u2060uk.", strings.Repeat("é", 100): strings.Repeat("é", 80) + "…",
	} {
		if got := Line(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

// Names with an address are not in subjects.
func TestName(t *testing.T) {
	for _, ok := range []string{"Acme Inc. Docs", "Ada Lovelace", "U.S. Team", "Guide v1.2", "日本語。文書", "R&D @ Acme", "Écoles, 3.5 %", "http and www2"} {
		if got := Name(ok, "other"); got != Line(ok) {
			t.Errorf("%q: %q", ok, got)
		}
	}
	for _, bad := range []string{
		"", " ", "Win at evil.com", "EVIL.COM/x", "https://evil", "HTTP:evil", "www.evil", "me@evil", "me＠evil．com", "evil。com", "evil｡com", "192.0.2.1",
		"mailto:x", "xn--e1afmkfd.xn--p1ai", "пример.рф", "evil.\u200bcom.example", "a_b.example",
	} {
		if got := Name(bad, "other"); got != "other" {
			t.Errorf("%q: %q", bad, got)
		}
	}
}
