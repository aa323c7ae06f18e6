package signin

import (
	"context"
	"encoding/json"
	"net/url"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/mail"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
)

// SendInvitation is the handler of orgs.InvitedJob. It sends no mail to a member who was removed
// or disabled meanwhile, or who has already used the organization.
func (s *Service) SendInvitation(ctx context.Context, payload []byte) error {
	var p orgs.Invitation
	if err := json.Unmarshal(payload, &p); err != nil {
		return err
	}
	m, err := s.Store.Member(ctx, p.Org, p.User)
	if errs.Is(err, errs.NotFound) || err == nil && (m.Disabled || !m.LastSeenAt.IsZero()) {
		return nil
	}
	if err != nil {
		return err
	}
	o, err := s.Store.Organization(ctx, p.Org)
	if errs.Is(err, errs.NotFound) { // deleted
		return nil
	}
	if err != nil {
		return err
	}
	var name string
	if u, err := s.Store.User(ctx, p.By); err == nil {
		name = u.DisplayName
	}
	const unnamed = "Somebody"
	by := mail.Line(name)
	if by == "" {
		by = unnamed
	}
	msg := mail.Message{
		To: m.User.Email, Subject: mail.Name(name, unnamed) + " invites you to " + mail.Name(o.Title, s.name()),
		Text:   []string{"Hello,", by + " added you to " + mail.Line(o.Title) + ", which keeps its documentation at " + s.name() + "."},
		Action: "Sign in", Link: s.BaseURL + "/login?email=" + url.QueryEscape(string(m.User.Email)),
	}
	if m.User.Verified { // they have signed in before: a link that is valid for days is only for new accounts
		return s.sendResult(msg, s.Mail.Send(ctx, msg))
	}
	secret, err := s.newLink(ctx, docs.MailLink{User: m.User.ID, Email: m.User.Email, Next: "/account"}, InviteTime, maxLinks)
	if err != nil || secret == "" {
		return err
	}
	msg.Action, msg.Link = "Accept the invitation", s.address(secret)
	msg.Small = []string{"It works once, for 7 days. Later, sign in at " + s.BaseURL + "/login with this address."}
	return s.sendLink(ctx, msg, secret)
}
