// Package signin signs users in. It mails links that prove an address, verifies passkeys, and
// manages sessions. There are no passwords.
//
// Where a change goes:
//   - how people sign in: links in signin.go, passkeys in passkeys.go, the linking rule of
//     providers in assertion.go; pages in web/console
package signin

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/mail"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/jobs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Service signs users in.
type Service struct {
	Store   *store.Store
	Mail    mail.Sender
	BaseURL string
	Log     *slog.Logger

	refusals refusals
}

// Lifetimes and limits of links and sessions.
const (
	LinkTime    = 15 * time.Minute
	InviteTime  = 7 * 24 * time.Hour
	SessionTime = 30 * 24 * time.Hour
	MaxSessions = 50 // of a user; above it, the oldest session ends
	maxLinks    = 5  // to one user, within LinkTime
)

// LinkJob creates a link and mails it. Because a job does it, neither the content nor the timing of
// the response reveals whether an address has an account. Nor does a request wait for a mail server
// that is slow or down.
const LinkJob = "signin.link"

// linkPayload is the payload of LinkJob. The link goes to the address of an account, or to the new
// address of a user.
type linkPayload struct {
	User  docs.UserID // empty: the user with the address Email
	Email docs.Email
	Next  string
	Asked docs.Time
}

func (s *Service) enqueue(ctx context.Context, tx *store.Tx, p linkPayload) error {
	return jobs.Enqueue(ctx, tx, jobs.Job{Kind: LinkJob, Key: string(p.User) + " " + string(p.Email), Payload: p})
}

// Mails reports whether the server can send mail.
func (s *Service) Mails() bool {
	_, none := s.Mail.(mail.None)
	return !none
}

// RequestLink mails a sign-in link to an address, if the address has an account.
func (s *Service) RequestLink(ctx context.Context, address, next string) error {
	e, err := docs.ParseEmail(address)
	if err != nil {
		return errs.Field("email", "is not an e-mail address")
	}
	return s.Store.Do(ctx, func(tx *store.Tx) error {
		return s.enqueue(ctx, tx, linkPayload{Email: e, Next: LocalPath(next), Asked: tx.Now()})
	})
}

// SendLink is the handler of LinkJob.
func (s *Service) SendLink(ctx context.Context, payload []byte) error {
	var p linkPayload
	if err := json.Unmarshal(payload, &p); err != nil {
		return err
	}
	if s.Store.Clock().Sub(p.Asked.Std()) > LinkTime {
		return nil // the user no longer waits for the mail
	}
	var u docs.User
	var err error
	if p.User != "" {
		u, err = s.Store.User(ctx, p.User)
	} else {
		u, err = s.Store.UserByEmail(ctx, p.Email)
	}
	if errs.Is(err, errs.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	link := docs.MailLink{User: u.ID, Email: p.Email, Moves: p.User != "", Next: p.Next}
	secret, err := s.newLink(ctx, link, LinkTime, maxLinks)
	if err != nil || secret == "" {
		return err
	}
	m := mail.Message{
		To: p.Email, Subject: "Sign in to " + s.name(),
		Text:   []string{"Hello " + mail.Line(u.DisplayName) + ",", "open this to sign in to " + s.name() + "."},
		Action: "Sign in", Link: s.address(secret),
		Small: []string{"It works once, for 15 minutes. If you did not ask for it, do nothing: nobody can sign in without it."},
	}
	if link.Moves {
		m.Subject, m.Action = "Your address at "+s.name(), "Use this address"
		m.Text[1] = "open this to make " + string(p.Email) + " the address of your account at " + s.name() + ". You have to be signed in there."
	}
	return s.sendLink(ctx, m, secret)
}

// name returns the name of the server for users: the host of its base URL.
func (s *Service) name() string {
	u, err := url.Parse(s.BaseURL)
	if err != nil {
		return s.BaseURL
	}
	return u.Host
}

// sendResult returns the error of sending m. Without a mail server, it logs a warning and returns
// nil, so that the job is not retried: the operator can create links by command.
func (s *Service) sendResult(m mail.Message, err error) error {
	if errors.Is(err, mail.ErrNone) {
		s.Log.Warn("a mail was not sent, because no mail server is configured (--smtp); `octavo user login-link` prints a link", "subject", m.Subject)
		return nil
	}
	return err
}

// sendLink sends a message with a link. If sending fails, it deletes the link, which would
// otherwise count towards maxLinks.
func (s *Service) sendLink(ctx context.Context, m mail.Message, secret string) error {
	err := s.Mail.Send(ctx, m)
	if err == nil {
		return nil
	}
	back := context.WithoutCancel(ctx)
	err = errors.Join(err, s.Store.Do(back, func(tx *store.Tx) error {
		_, err := tx.DropMailLink(back, docs.HashSecret(secret))
		return err
	}))
	return s.sendResult(m, err)
}

// newLink stores a link in a transaction of its own, see addLink.
func (s *Service) newLink(ctx context.Context, l docs.MailLink, good time.Duration, most int64) (string, error) {
	return store.InTx(ctx, s.Store, func(tx *store.Tx) (string, error) { return addLink(ctx, tx, l, good, most) })
}

// addLink stores a link that is valid for the duration good, and returns its secret. The secret is
// empty if the user got most links within LinkTime. Those still work, so nobody can lock a user out
// by requesting links.
func addLink(ctx context.Context, tx *store.Tx, l docs.MailLink, good time.Duration, most int64) (string, error) {
	if err := tx.DropExpiredMailLinks(ctx); err != nil {
		return "", err
	}
	now := tx.Now().Std()
	n, err := tx.CountMailLinks(ctx, l.User, docs.TimeOf(now.Add(-LinkTime)))
	if err != nil || n >= most {
		return "", err
	}
	l.CreatedAt, l.ExpiresAt = tx.Now(), docs.TimeOf(now.Add(good))
	secret := docs.NewLinkSecret()
	return secret, tx.AddMailLink(ctx, l, docs.HashSecret(secret))
}

// address returns the URL of the link with a secret.
func (s *Service) address(secret string) string { return s.BaseURL + LinkPath + "?key=" + secret }

// LinkPath is the path of the page that links open.
const LinkPath = "/login/link"

// LinkFor creates a link for an address and returns its URL. It is for the operator, who is
// trusted to have verified the address.
func (s *Service) LinkFor(ctx context.Context, address string) (string, error) {
	e, err := docs.ParseEmail(address)
	if err != nil {
		return "", errs.Field("email", "is not an e-mail address")
	}
	return store.InTx(ctx, s.Store, func(tx *store.Tx) (string, error) {
		u, err := tx.UserByEmail(ctx, e)
		if err != nil {
			return "", err
		}
		secret, err := addLink(ctx, tx, docs.MailLink{User: u.ID, Email: u.Email}, LinkTime, math.MaxInt64)
		if err != nil {
			return "", err
		}
		by, e := authz.AtCommandLine(""), audit.Event{Action: "user.login-link", Kind: "user", ID: string(u.ID)}
		if err := audit.Record(ctx, tx, by, e); err != nil {
			return "", err
		}
		return s.address(secret), orgs.RecordInAll(ctx, tx, by, u.ID, e)
	})
}

// errLink is returned if a link was used, has expired or never existed.
var errLink = errs.E(errs.NotFound, "this link was used already, or it has expired; ask for a new one")

// errMove is returned if a link changes the address of another account than the signed-in one.
var errMove = errs.E(errs.Forbidden, "this link changes the address of an account; sign in to it first, with the address that it has now, and open the link again")

// usableLink returns a link and its user. It returns an error if the link does not work at the time
// now for the signed-in user. A link that changes the address of an account works only for a user who
// is signed in to that account. So a person who receives such a mail by mistake gets no access, and
// no address is verified for the account of another person.
func usableLink(ctx context.Context, r store.Reader, secret string, signedIn docs.UserID, now docs.Time) (l docs.MailLink, u docs.User, err error) {
	l, err = r.MailLink(ctx, docs.HashSecret(secret))
	switch {
	case errs.Is(err, errs.NotFound), err == nil && l.ExpiresAt <= now:
		return l, u, errLink
	case err != nil:
		return l, u, err
	case l.Moves && signedIn != l.User:
		return l, u, errMove
	}
	u, err = r.User(ctx, l.User)
	if err == nil && !l.Moves && l.Email != u.Email { // the account's address has changed since
		err = errLink
	}
	return l, u, err
}

// CheckLink returns a link and its user without using the link up: mail scanners open links too.
func (s *Service) CheckLink(ctx context.Context, secret string, signedIn docs.UserID, from Client) (docs.MailLink, docs.User, error) {
	l, u, err := usableLink(ctx, s.Store.Reader, secret, signedIn, docs.TimeOf(s.Store.Clock()))
	s.refusedLink(ctx, l, err, from)
	return l, u, err
}

// refusedLink records that a link did not work. The user is unknown for a link that was used, because
// used links are deleted.
func (s *Service) refusedLink(ctx context.Context, l docs.MailLink, err error, from Client) {
	if errors.Is(err, errLink) || errors.Is(err, errMove) {
		s.RecordRefusal(ctx, Refusal{l.User, docs.SignInByMail, errs.Message(err)}, from)
	}
}

// NewSession is a session that was just opened.
type NewSession struct {
	Secret string // for the cookie
	Until  time.Time
	Next   string
}

// UseLink opens a session by the secret of a link. A link works once.
func (s *Service) UseLink(ctx context.Context, secret string, signedIn docs.UserID, from Client) (NewSession, error) {
	var l docs.MailLink
	opened := docs.NewSessionSecret()
	out, err := store.InTx(ctx, s.Store, func(tx *store.Tx) (out NewSession, err error) {
		var u docs.User
		l, u, err = usableLink(ctx, tx.Reader, secret, signedIn, tx.Now())
		if err != nil {
			return out, err
		}
		if had, err := tx.DropMailLink(ctx, docs.HashSecret(secret)); err != nil || !had {
			return out, errors.Join(err, errLink)
		}
		by := authz.Actor{User: u.ID, Request: from.Request, Session: true}
		if err := s.verifyEmail(ctx, tx, by, u, l.Email); err != nil {
			return out, err
		}
		t, err := s.open(ctx, tx, by, docs.SignInByMail, from.Agent, opened)
		return NewSession{Secret: opened, Until: t.ExpiresAt.Std(), Next: LocalPath(l.Next)}, err
	})
	s.refusedLink(ctx, l, err, from)
	return out, err
}

// verifyEmail marks an address as verified and makes it the address of the account. A new address
// ends all sessions and links of the account, and a mail informs the old address.
func (s *Service) verifyEmail(ctx context.Context, tx *store.Tx, by authz.Actor, u docs.User, e docs.Email) error {
	before := u
	if e == u.Email && u.Verified {
		return nil
	}
	u.Email, u.Verified, u.UpdatedAt = e, true, tx.Now()
	if err := tx.PutEmail(ctx, u); err != nil {
		return err
	}
	if e == before.Email {
		return audit.Record(ctx, tx, by, audit.Event{Action: "user.verify", Kind: "user", ID: string(u.ID)})
	}
	if err := tx.DropMailLinksOf(ctx, u.ID); err != nil {
		return err
	}
	if _, err := tx.DropTokens(ctx, store.TokenFilter{User: u.ID, Sessions: true}); err != nil {
		return err
	}
	warning := Warning{Email: before.Email, Name: before.DisplayName}
	if err := jobs.Enqueue(ctx, tx, jobs.Job{Kind: MovedJob, Key: string(u.ID) + " " + string(before.Email), Payload: warning}); err != nil {
		return err
	}
	return audit.Record(ctx, tx, by, audit.Event{
		Action: "user.email", Kind: "user", ID: string(u.ID), Data: map[string]any{"from": before.Email, "to": e},
	})
}

// MovedJob informs the old address of an account about the change of the address.
const MovedJob = "signin.moved"

// Warning is the payload of MovedJob.
type Warning struct {
	Email docs.Email
	Name  string
}

// SendWarning is the handler of MovedJob.
func (s *Service) SendWarning(ctx context.Context, payload []byte) error {
	var p Warning
	if err := json.Unmarshal(payload, &p); err != nil {
		return err
	}
	m := mail.Message{
		To: p.Email, Subject: "Your address at " + s.name() + " was changed",
		Text:  []string{"Hello " + mail.Line(p.Name) + ",", "your account at " + s.name() + " has another e-mail address now. From here on, links to sign in go there."},
		Small: []string{"If you did not change it, tell the administrators of " + s.name() + " at once."},
	}
	return s.sendResult(m, s.Mail.Send(ctx, m))
}

// AddedJob informs a user by mail that their account has a new way to sign in, in case the user did
// not add it.
const AddedJob = "signin.added"

// added is the payload of AddedJob.
type added struct {
	User docs.UserID
	What string // continues the sentence "your account at …"
}

// enqueueAdded enqueues AddedJob. key identifies the new way to sign in.
func enqueueAdded(ctx context.Context, tx *store.Tx, user docs.UserID, key, what string) error {
	return jobs.Enqueue(ctx, tx, jobs.Job{Kind: AddedJob, Key: string(user) + " " + key, Payload: added{user, what}})
}

// SendAdded is the handler of AddedJob. It sends mail to verified addresses only.
func (s *Service) SendAdded(ctx context.Context, payload []byte) error {
	var p added
	if err := json.Unmarshal(payload, &p); err != nil {
		return err
	}
	u, err := s.Store.User(ctx, p.User)
	if errs.Is(err, errs.NotFound) || err == nil && !u.Verified {
		return nil
	}
	if err != nil {
		return err
	}
	m := mail.Message{
		To: u.Email, Subject: "A new way to sign in at " + s.name(),
		Text:   []string{"Hello " + mail.Line(u.DisplayName) + ",", "your account at " + s.name() + " " + p.What + "."},
		Action: "Look at your account", Link: s.BaseURL + "/account",
		Small: []string{"If you did not do this, remove it there and sign out everywhere."},
	}
	return s.sendResult(m, s.Mail.Send(ctx, m))
}

// open creates a session and records it in the audit log.
func (s *Service) open(ctx context.Context, tx *store.Tx, by authz.Actor, how docs.SignInMethod, agent, secret string) (docs.Token, error) {
	if err := s.makeRoom(ctx, tx, by); err != nil {
		return docs.Token{}, err
	}
	t := docs.Token{
		ID: store.NewID[docs.TokenID](tx), User: by.User, Org: by.Org, Session: true, Method: how, Agent: docs.FirstBytes(agent, 200),
		CreatedAt: tx.Now(), LastUsedAt: tx.Now(), ExpiresAt: docs.TimeOf(tx.Now().Std().Add(SessionTime)),
	}
	if err := tx.AddToken(ctx, t, docs.HashSecret(secret)); err != nil {
		return t, err
	}
	return t, audit.Record(ctx, tx, by, audit.Event{
		Org: by.Org, Action: "session.create", Kind: "session", ID: string(t.ID), Data: map[string]any{"method": how, "agent": t.Agent},
	})
}

// makeRoom ends the oldest sessions of a user who has MaxSessions or more. A new session for one
// organization counts and ends only sessions for that organization. Any other new session counts
// and ends all sessions of the user.
func (s *Service) makeRoom(ctx context.Context, tx *store.Tx, by authz.Actor) error {
	if err := tx.DropExpiredSessions(ctx); err != nil {
		return err
	}
	all := store.TokenFilter{User: by.User, Org: by.Org, Sessions: true}
	n, err := tx.CountTokens(ctx, all)
	if err != nil || n < MaxSessions {
		return err
	}
	old, _, err := tx.Tokens(ctx, all, store.Page{Limit: int(n) - MaxSessions + 1})
	for _, t := range old {
		if err == nil {
			_, err = tx.DropToken(ctx, all, t.ID)
		}
	}
	return err
}

// Session returns the session of a request.
func (s *Service) Session(ctx context.Context, g *authz.Grant) (docs.Token, error) {
	return s.Store.Session(ctx, g.Actor.User, g.Actor.Token)
}

// sessionsOf returns the sessions that a caller may see and end.
func sessionsOf(g *authz.Grant) store.TokenFilter {
	return store.TokenFilter{User: g.Actor.User, Org: g.Actor.Org, Sessions: true}
}

// Sessions lists the caller's sessions.
func (s *Service) Sessions(g *authz.Grant) store.List[docs.Token] {
	return store.List[docs.Token]{
		Page: func(ctx context.Context, p store.Page) ([]docs.Token, store.Key, error) {
			return s.Store.Tokens(ctx, sessionsOf(g), p)
		},
		Count: func(ctx context.Context) (int64, error) { return s.Store.CountTokens(ctx, sessionsOf(g)) },
	}
}

// NewestSessions returns up to MaxSessions of the caller's sessions, newest first. There can be more,
// see makeRoom.
func (s *Service) NewestSessions(ctx context.Context, g *authz.Grant) ([]docs.Token, error) {
	return s.Store.NewestTokens(ctx, sessionsOf(g), MaxSessions)
}

// EndSession ends one of the caller's sessions at once.
func (s *Service) EndSession(ctx context.Context, g *authz.Grant, id docs.TokenID) error {
	return authz.Do(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) error {
		had, err := tx.DropToken(ctx, sessionsOf(g), id)
		if err != nil {
			return err
		}
		if !had {
			return errs.Missing("session")
		}
		return audit.Record(ctx, tx, g.Actor, audit.Event{Action: "session.end", Kind: "session", ID: string(id)})
	})
}

// EndAllSessions ends all of the caller's sessions, including the session of the request, and deletes
// the pending mail links. A caller who is limited to an organization ends only sessions for it, and
// keeps the links.
func (s *Service) EndAllSessions(ctx context.Context, g *authz.Grant) error {
	return authz.Do(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) error {
		n, err := tx.DropTokens(ctx, sessionsOf(g))
		if err != nil {
			return err
		}
		if n == 0 {
			return errs.Missing("session")
		}
		if g.Actor.RequireFullAccount() == nil {
			if err := tx.DropMailLinksOf(ctx, g.Actor.User); err != nil {
				return err
			}
		}
		return audit.Record(ctx, tx, g.Actor, audit.Event{Action: "session.end", Kind: "user", ID: string(g.Actor.User), Data: map[string]any{"sessions": n}})
	})
}

// ChangeEmail sends a link to a new address. The address of the account changes when the user opens
// the link. A token is not enough: with the address, its holder could take over the account.
func (s *Service) ChangeEmail(ctx context.Context, g *authz.Grant, address string) error {
	if !g.Actor.Session {
		return errs.E(errs.Forbidden, "sign in to change your address; a token cannot do it")
	}
	if err := g.Actor.RequireFullAccount(); err != nil {
		return err
	}
	e, err := docs.ParseEmail(address)
	if err != nil {
		return errs.Field("email", "is not an e-mail address")
	}
	u, err := s.Store.User(ctx, g.Actor.User)
	if err != nil || u.Email == e {
		return err
	}
	// Whether another account has the address is revealed only to the reader of its mail.
	return authz.Do(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) error {
		if err := orgs.LimitAddress(ctx, tx, g.Actor); err != nil {
			return err
		}
		if err := s.enqueue(ctx, tx, linkPayload{g.Actor.User, e, "/account", tx.Now()}); err != nil {
			return err
		}
		return audit.Record(ctx, tx, g.Actor, audit.Event{Action: "user.email.ask", Kind: "user", ID: string(u.ID), Data: map[string]any{"to": e}})
	})
}

// Cookie returns the name of the session cookie. With TLS, the prefix __Host- makes browsers reject
// a cookie that another host has set.
func Cookie(base string) string {
	if strings.HasPrefix(base, "https://") {
		return "__Host-octavo-session"
	}
	return "octavo-session"
}

// CSRF returns the token that a request with a session must send besides the cookie. A page of
// another site can make a browser send the cookie, but cannot read the token.
func CSRF(secret string) string {
	sum := sha256.Sum256([]byte("csrf:" + secret))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// elsewhere lists prefixes of paths that redirect to other servers or sign the user out.
var elsewhere = []string{"/~", "/login", "/logout", "/saml", "/oidc"}

// LocalPath returns next as a path of this server, or "" if next is anything else.
func LocalPath(next string) string {
	u, err := url.Parse(next)
	switch {
	case err != nil, u.IsAbs(), u.Host != "", u.User != nil, u.Opaque != "", len(next) > 1024:
		return ""
	case !strings.HasPrefix(u.Path, "/"), strings.HasPrefix(u.Path, "//"), strings.ContainsAny(u.Path, "\\\r\n\t"):
		return ""
	case slices.ContainsFunc(elsewhere, func(p string) bool { return strings.HasPrefix(path.Clean(u.Path), p) }):
		return ""
	}
	return u.RequestURI()
}
