// Package mail sends messages to people through the operator's SMTP server, as plain text and as
// HTML.
package mail

import (
	"bytes"
	"context"
	"crypto/tls"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	gomail "github.com/wneessen/go-mail"

	"github.com/octavo-docs/octavo/internal/docs"
)

// Message is a message to one person: some text, and at most one action.
type Message struct {
	To      docs.Email
	Subject string
	Text    []string // paragraphs
	Action  string   // label of the button
	Link    string   // URL of the button
	Small   []string // paragraphs after the button

	Quote       string // text by another person, after Text
	Items       []Item // a list, after Text
	Unsubscribe string // URL to which a POST ends mails like this one; empty: there is none
}

// Item is an item of a list.
type Item struct{ Title, Text string }

// Line returns the name of a person or an organization for use in a message. The result is one short
// line that mail programs do not turn into a link.
func Line(s string) string { return Excerpt(s, 81) }

// Excerpt is like Line, for a text of at most most characters.
func Excerpt(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return ' '
		}
		return r
	}, s)
	s = strings.NewReplacer("://", ": ", "www.", "www ").Replace(strings.Join(strings.Fields(s), " "))
	return linkable.ReplaceAllString(docs.Clip(s, most), "$1\u2060$2")
}

// Name is like Line, for subjects. It returns otherwise if the name is empty or has an address of a web
// site, a person or a machine: mail programs show subjects before anybody opens a mail, and who gets
// an invitation may know nobody who sent it.
func Name(s, otherwise string) string {
	line := Line(s)
	if line == "" || address.MatchString(shownAs.Replace(line)) {
		return otherwise
	}
	return line
}

// address matches what people and mail programs read as an address.
var address = regexp.MustCompile(`(?i)[\pL\pN]@[\pL\pN]|[\pL\pN_-]\.\pL{2}|[\pL\pN_-][\x{3002}\x{ff61}][a-z]{2}|\d+(\.\d+){3}|\b(https?|mailto|ftp):|\bwww\b`)

// shownAs removes the joiners of Line, and replaces characters that look like a dot or an at sign.
// Browsers read U+3002 and U+FF61 as dots too, but they also end sentences.
var shownAs = strings.NewReplacer("\u2060", "", "\uff0e", ".", "\u2024", ".", "\uff20", "@", "\ufe6b", "@")

// linkable matches a dot or an at sign inside a host name or an address. Mail programs turn evil.com
// and me@evil.com into links too, but not with a word joiner inside, which is invisible.
var linkable = regexp.MustCompile(`([.@])([\pL\pN])`)

// Sender sends messages.
type Sender interface {
	Send(ctx context.Context, m Message) error
}

// ErrNone is returned if no mail server is configured.
var ErrNone = errors.New("no mail server is configured; see --smtp")

// None is the Sender if no mail server is configured.
type None struct{}

// Send returns ErrNone.
func (None) Send(context.Context, Message) error { return ErrNone }

// Printer writes messages to W, for the operator, instead of sending them.
type Printer struct{ W io.Writer }

// Send writes the message.
func (p Printer) Send(_ context.Context, m Message) error {
	_, err := fmt.Fprintf(p.W, "\nMail to %s: %s\n\n%s\n", m.To, m.Subject, m.plain())
	return err
}

// SMTP sends messages through an SMTP server.
type SMTP struct {
	Host           string
	Port           int
	User, Password string
	Security       Security
	From           string // such as Octavo <docs@example.com>
}

// Security is how the connection to a mail server is protected.
type Security string

// The values are the URL schemes of ParseSMTP.
const (
	StartTLS Security = "smtp"       // begins in clear text and must upgrade to TLS
	TLS      Security = "smtps"      // uses TLS from the beginning
	Plain    Security = "smtp+plain" // no TLS: for a relay on the same machine or network
)

var ports = map[Security]int{StartTLS: 587, TLS: 465, Plain: 25}

// ParseSMTP parses the URL of a server, such as smtp://user:password@mail.example.com:587.
func ParseSMTP(address, from string) (SMTP, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || ports[Security(u.Scheme)] == 0 || u.Path != "" || u.RawQuery != "" {
		// The URL may contain a password, so the error does not contain the URL.
		return SMTP{}, errors.New("the mail server must be smtp://, smtps:// or smtp+plain://[USER:PASSWORD@]HOST[:PORT]; write special characters of the password as %XX")
	}
	s := SMTP{Host: u.Hostname(), Port: ports[Security(u.Scheme)], User: u.User.Username(), Security: Security(u.Scheme), From: from}
	s.Password, _ = u.User.Password()
	if p := u.Port(); p != "" {
		if s.Port, err = strconv.Atoi(p); err != nil {
			return SMTP{}, fmt.Errorf("the port of the mail server is %q, which is no number", p)
		}
	}
	if err := gomail.NewMsg().From(from); err != nil {
		return SMTP{}, fmt.Errorf("the sender %q is not an address such as Octavo <docs@example.com>", from)
	}
	return s, nil
}

// sendTime is the timeout of a mail server.
const sendTime = 30 * time.Second

// maxError is the maximum length of the error of a mail server, in bytes.
const maxError = 1000

// Send sends the message. An error contains the server and the reason, but not the password.
func (s SMTP) Send(ctx context.Context, m Message) error {
	msg := gomail.NewMsg()
	if err := errors.Join(msg.From(s.From), msg.To(string(m.To))); err != nil {
		return fmt.Errorf("mail to %s: %w", m.To, err)
	}
	html, err := m.html()
	if err != nil {
		return err
	}
	msg.Subject(m.Subject)
	msg.SetBodyString(gomail.TypeTextPlain, m.plain())
	msg.AddAlternativeString(gomail.TypeTextHTML, html)
	// Keep automatic replies from being sent to this message.
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	if m.Unsubscribe != "" { // RFC 8058: mail programs show a button
		msg.SetGenHeader("List-Unsubscribe", "<"+m.Unsubscribe+">")
		msg.SetGenHeader("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")
	}
	d := &dialer{}
	defer d.close()
	c, err := gomail.NewClient(s.Host, s.options(d)...)
	if err == nil {
		err = c.DialAndSendWithContext(ctx, msg)
	}
	return s.failed(err)
}

// Check connects and signs in to the server, and sends nothing. An error contains the
// server and the reason, but not the password.
func (s SMTP) Check(ctx context.Context) error {
	d := &dialer{}
	defer d.close()
	c, err := gomail.NewClient(s.Host, s.options(d)...)
	if err == nil {
		err = c.DialWithContext(ctx)
	}
	if err == nil {
		err = c.Close()
	}
	return s.failed(err)
}

// failed adds the server to an error of it. The response of the server may be in the
// error, so its length is limited.
func (s SMTP) failed(err error) error {
	if err == nil {
		return nil
	}
	if text := err.Error(); len(text) > maxError {
		err = errors.New(docs.ClipBytes(text, maxError))
	}
	return fmt.Errorf("mail server %s:%d: %w", s.Host, s.Port, err)
}

func (s SMTP) options(d *dialer) []gomail.Option {
	opts := []gomail.Option{gomail.WithPort(s.Port), gomail.WithTimeout(sendTime), gomail.WithDialContextFunc(d.dial)}
	auth := gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover)
	switch s.Security {
	case TLS:
		d.tls = &tls.Config{ServerName: s.Host, MinVersion: tls.VersionTLS12}
		opts = append(opts, gomail.WithSSL())
		auth = gomail.WithOpportunisticSMTPAuth(encryptedAuth...)
	case Plain:
		opts = append(opts, gomail.WithTLSPolicy(gomail.NoTLS))
	default:
		opts = append(opts, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if s.User != "" {
		opts = append(opts, auth, gomail.WithUsername(s.User), gomail.WithPassword(s.Password))
	}
	return opts
}

// unsubscribe is the text of the unsubscribe link. The template contains the same text.
const unsubscribe = "No more mails like this"

// plain returns the message as plain text.
func (m Message) plain() string {
	parts := append([]string{}, m.Text...)
	if m.Quote != "" {
		parts = append(parts, "> "+m.Quote)
	}
	for _, l := range m.Items {
		parts = append(parts, strings.TrimSuffix("* "+l.Title+"\n  "+l.Text, "\n  "))
	}
	if m.Link != "" {
		parts = append(parts, m.Action+":\n"+m.Link)
	}
	parts = append(parts, m.Small...)
	if m.Unsubscribe != "" {
		parts = append(parts, unsubscribe+":\n"+m.Unsubscribe)
	}
	return strings.Join(parts, "\n\n") + "\n"
}

//go:embed message.html
var messagePage string

var messageTemplate = template.Must(template.New("message").Parse(messagePage))

func (m Message) html() (string, error) {
	var b bytes.Buffer
	err := messageTemplate.Execute(&b, m)
	return b.String(), err
}
