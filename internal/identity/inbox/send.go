package inbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/mail"
	"github.com/octavo-docs/octavo/internal/jobs"
	"github.com/octavo-docs/octavo/internal/store"
)

// MailJob sends the waiting notices of one user through one channel. There is one such job at a
// time, so that two nodes do not send the same mail.
const MailJob = "inbox.mail"

type mailing struct {
	User docs.UserID
	By   docs.Channel
}

// Limits of mails.
const (
	mailGap  = time.Minute // between two immediate mails to a user; the second one has all events of the meantime
	maxLines = 50          // items in one mail
)

// Send is the handler of MailJob. It marks notices as mailed after the mail server has accepted
// the mail. If a node is killed in between, the mail is sent twice, but none is lost.
func (s *Service) Send(ctx context.Context, payload []byte) error {
	var p mailing
	if err := json.Unmarshal(payload, &p); err != nil {
		return err
	}
	waiting, err := s.Store.MailWaiting(ctx, p.User, p.By)
	if err != nil || len(waiting) == 0 {
		return err
	}
	settings, mailed, err := s.Store.Notifications(ctx, p.User)
	if err != nil {
		return err
	}
	if wait := mailGap - s.Store.Clock().Sub(mailed.Std()); p.By == docs.ChannelMail && wait > 0 {
		return jobs.RetryAfter(wait)
	}
	sent, err := s.send(ctx, p, settings, waiting)
	if err != nil {
		return err
	}
	return s.Store.Do(ctx, func(tx *store.Tx) error {
		if sent {
			if err := tx.SetMailedAt(ctx, p.User); err != nil {
				return err
			}
		}
		return tx.MarkMailed(ctx, p.User, waiting)
	})
}

// send sends one mail, if there is anything to send and the address of the user is verified.
func (s *Service) send(ctx context.Context, p mailing, settings docs.Notifications, waiting []docs.NoticeID) (bool, error) {
	u, err := s.Store.User(ctx, p.User)
	if errs.Is(err, errs.NotFound) || err == nil && !u.Verified {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	notices, err := s.mailable(ctx, p, settings)
	notices = slices.DeleteFunc(notices, func(n docs.Notice) bool { // notices that arrived meanwhile
		_, noted := slices.BinarySearch(waiting, n.ID)
		return !noted
	})
	if err != nil || len(notices) == 0 {
		return false, err
	}
	m, err := s.message(ctx, u, p.By, notices)
	if err != nil {
		return false, err
	}
	if err = s.Mail.Send(ctx, m); errors.Is(err, mail.ErrNone) {
		s.Log.Debug("a notification was not sent, because no mail server is configured (--smtp)", "user", u.ID)
		return false, nil
	}
	return err == nil, err
}

// mailable returns the waiting notices that are to be mailed now: the user may see them, has not
// read them, and still wants mails of their kind. Those of an organization that the user has not used stay
// in the inbox: anybody can add others to an organization and mention them there.
func (s *Service) mailable(ctx context.Context, p mailing, settings docs.Notifications) ([]docs.Notice, error) {
	hidden, err := s.Store.HiddenFrom(ctx, store.NoticeReader{User: p.User, Mail: true})
	if err != nil {
		return nil, err
	}
	all, _, err := s.Store.Notices(ctx, p.User, store.NoticeFilter{Unread: true, Mail: p.By, Hidden: hidden}, store.Page{Limit: docs.MaxNotices})
	oldest := docs.TimeOf(s.Store.Clock().Add(-longestWait))
	return slices.DeleteFunc(all, func(n docs.Notice) bool { return n.At < oldest || !settings.By(n.Kind).Mails() }), err
}

// message returns the mail about notices. One notice has a quote; several have an item for each
// resource.
func (s *Service) message(ctx context.Context, u docs.User, by docs.Channel, notices []docs.Notice) (mail.Message, error) {
	stop, err := s.unsubscribeLink(ctx, u.ID, by, notices)
	if err != nil {
		return mail.Message{}, err
	}
	m := mail.Message{
		To: u.Email, Action: "Open your inbox", Link: s.BaseURL + Path, Unsubscribe: stop,
		Text:  []string{"Hello " + mail.Line(u.DisplayName) + ","},
		Small: []string{"What you get by mail, and when: " + s.BaseURL + "/account#notifications"},
	}
	if len(notices) == 1 {
		n := notices[0]
		m.Subject = subject(n)
		m.Text = append(m.Text, Sentence(n)+": "+titleAndPlace(n)+".")
		m.Quote, m.Action, m.Link = Quote(n), "Open it", s.BaseURL+Address(n)
		return m, nil
	}
	groups := grouped(notices)
	m.Subject = fmt.Sprintf("%d notifications from %s", len(notices), s.name())
	if len(groups) == 1 {
		m.Subject = fmt.Sprintf("%d notifications: %s", len(notices), subjectTitle(groups[0].newest))
		m.Action, m.Link = "Open it", s.BaseURL+Address(groups[0].newest)
	}
	m.Text = append(m.Text, "this happened since the last mail:")
	for i, g := range groups {
		if i == maxLines {
			m.Items = append(m.Items, mail.Item{Title: fmt.Sprintf("and %d more in your inbox", len(groups)-maxLines)})
			break
		}
		m.Items = append(m.Items, mail.Item{Title: titleAndPlace(g.newest), Text: g.summary()})
	}
	return m, nil
}

// name returns the name of the server for users: the host of its base URL.
func (s *Service) name() string {
	u, err := url.Parse(s.BaseURL)
	if err != nil {
		return s.BaseURL
	}
	return u.Host
}

// kindsOf returns the kinds of notices without duplicates, separated by commas.
func kindsOf(notices []docs.Notice) string {
	var out []string
	for _, k := range docs.NoticeKinds {
		if slices.ContainsFunc(notices, func(n docs.Notice) bool { return n.Kind == k }) {
			out = append(out, string(k))
		}
	}
	return strings.Join(out, ",")
}
