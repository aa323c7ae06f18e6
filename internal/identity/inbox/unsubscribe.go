package inbox

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/seal"
	"github.com/octavo-docs/octavo/internal/store"
)

// UnsubscribePath is the path of the unsubscribe links in mails.
const UnsubscribePath = "/unsubscribe"

// Subscription is what an unsubscribe link can end: all mails of some kinds, or all digests. The link
// needs no sign-in, does nothing else and never expires.
type Subscription struct {
	User    docs.UserID
	Digests bool
	Kinds   []docs.NoticeKind // if Digests is false
}

func (s *Service) unsubscribeLink(ctx context.Context, user docs.UserID, by docs.Channel, notices []docs.Notice) (string, error) {
	what := string(docs.ChannelDigest)
	if by != docs.ChannelDigest {
		what = kindsOf(notices)
	}
	key, err := seal.Seal(ctx, s.Store.Reader, seal.Unsubscribe, "", string(user)+" "+what)
	return s.BaseURL + UnsubscribePath + "?" + url.Values{"key": {string(key)}}.Encode(), err
}

// errLink is returned for a link whose key is invalid.
var errLink = errs.E(errs.NotFound, "this link is not complete; copy all of it from the mail, or sign in and choose what you get on the page of your account")

// Subscription returns the subscription that a link can end.
func (s *Service) Subscription(ctx context.Context, key string) (Subscription, error) {
	text, err := seal.Open(ctx, s.Store.Reader, seal.Unsubscribe, "", docs.Sealed(key))
	if errors.Is(err, seal.ErrSealed) {
		return Subscription{}, errLink
	}
	if err != nil {
		return Subscription{}, err
	}
	user, what, _ := strings.Cut(text, " ")
	out := Subscription{User: docs.UserID(user), Digests: what == string(docs.ChannelDigest)}
	for k := range strings.SplitSeq(what, ",") {
		if slices.Contains(docs.NoticeKinds, docs.NoticeKind(k)) {
			out.Kinds = append(out.Kinds, docs.NoticeKind(k))
		}
	}
	return out, nil
}

// Unsubscribe ends the subscription of a link. The notices stay in the inbox.
func (s *Service) Unsubscribe(ctx context.Context, key, request string) error {
	end, err := s.Subscription(ctx, key)
	if err != nil {
		return err
	}
	return s.Store.Do(ctx, func(tx *store.Tx) error {
		if _, err := tx.User(ctx, end.User); errs.Is(err, errs.NotFound) {
			return nil
		} else if err != nil {
			return err
		}
		was, _, err := tx.Notifications(ctx, end.User)
		if err != nil {
			return err
		}
		now := was
		for _, k := range docs.NoticeKinds {
			by := was.By(k)
			if end.Digests && by == docs.ChannelDigest || slices.Contains(end.Kinds, k) && by.Mails() {
				now = now.With(k, docs.ChannelInbox)
			}
		}
		return put(ctx, tx, authz.Actor{User: end.User, Request: request}, was, now)
	})
}
