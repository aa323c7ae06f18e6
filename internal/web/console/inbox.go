package console

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/inbox"
	"github.com/octavo-docs/octavo/internal/identity/signin"
	"github.com/octavo-docs/octavo/internal/store"
)

// inboxPage is the number of notices on a page.
const inboxPage = 50

type inboxData struct {
	Notices []docs.Notice
	Unread  int64
	Filter  inbox.Filter
	Kinds   []kindChoice
	Older   string // URL of the page with older notices; empty: there are none
	Here    string // URL of this page
}

// kindChoice is a kind of notices with the channel that the user has chosen for it.
type kindChoice struct {
	Kind    docs.NoticeKind
	Label   string
	Channel docs.Channel
}

var kindLabels = map[docs.NoticeKind]string{
	docs.NoticeReviewRequested: "You are asked for a review",
	docs.NoticeMentioned:       "Somebody mentions you",
	docs.NoticeReplied:         "Somebody replies where you wrote",
	docs.NoticeReviewed:        "Your change request is reviewed",
	docs.NoticeCommented:       "Your change request is commented on",
	docs.NoticeMerged:          "Your change request is merged",
	docs.NoticeConflicted:      "Your change request has conflicts",
}

func kindChoices(n docs.Notifications) []kindChoice {
	out := make([]kindChoice, len(docs.NoticeKinds))
	for i, k := range docs.NoticeKinds {
		out[i] = kindChoice{k, kindLabels[k], n.By(k)}
	}
	return out
}

// inboxFilter reads the filter from a query or a form.
func inboxFilter(q url.Values) inbox.Filter {
	return inbox.Filter{Unread: q.Get("show") == "unread", Kind: docs.NoticeKind(q.Get("kind"))}
}

// inboxAddress returns the URL of the inbox with a filter, starting after the notice before.
func inboxAddress(f inbox.Filter, before string) string {
	q := url.Values{}
	if f.Unread {
		q.Set("show", "unread")
	}
	if f.Kind != "" {
		q.Set("kind", string(f.Kind))
	}
	if before != "" {
		q.Set("before", before)
	}
	if len(q) == 0 {
		return inbox.Path
	}
	return inbox.Path + "?" + q.Encode()
}

// showInbox lists the notices of the user.
func (h *Handler) showInbox(v *visit) (err error) {
	ctx, q := v.r.Context(), v.r.URL.Query()
	d := inboxData{Filter: inboxFilter(q), Kinds: kindChoices(docs.Notifications{})}
	before := q.Get("before")
	d.Here = inboxAddress(d.Filter, before)
	if d.Unread, err = h.Inbox.List(v.grant, inbox.Filter{Unread: true}).Count(ctx); err != nil {
		return err
	}
	p := store.Page{Limit: inboxPage}
	if before != "" {
		p.After = store.Key{before}
	}
	var next store.Key
	if d.Notices, next, err = h.Inbox.List(v.grant, d.Filter).Page(ctx, p); err != nil {
		return err
	}
	if len(next) > 0 {
		d.Older = inboxAddress(d.Filter, next[0])
	}
	h.show(v.w, http.StatusOK, "inbox", page{Title: "Inbox", CSRF: signin.CSRF(v.secret), Data: d})
	return nil
}

// readNotices marks one notice, or all that match the filter of the page, and redirects to the page.
func (h *Handler) readNotices(v *visit) error {
	ctx := v.r.Context()
	if id := v.value("notice"); id != "" {
		if _, err := h.Inbox.Mark(ctx, v.grant, docs.NoticeID(id), v.value("as") != "unread"); err != nil {
			return err
		}
	} else if _, err := h.Inbox.MarkAll(ctx, v.grant, inboxFilter(v.r.PostForm)); err != nil {
		return err
	}
	back := signin.LocalPath(v.value("back"))
	if !strings.HasPrefix(back, inbox.Path) {
		back = inbox.Path
	}
	http.Redirect(v.w, v.r, back, http.StatusSeeOther)
	return nil
}

// chooseNotifications stores the notification settings of the user.
func (h *Handler) chooseNotifications(v *visit) error {
	_, err := h.Inbox.UpdateSettings(v.r.Context(), v.grant, func(n docs.Notifications) (docs.Notifications, error) {
		for _, k := range docs.NoticeKinds {
			c, known := channelLabels[docs.Channel(v.value(string(k)))]
			if !known {
				return n, errs.E(errs.Invalid, "Choose how you want to hear of: %s.", kindLabels[k])
			}
			n = n.With(k, c.Channel)
		}
		hour, err := strconv.Atoi(v.value("hour"))
		day, dayErr := strconv.Atoi(v.value("weekday"))
		n.Digest = docs.Digest{Period: docs.DigestPeriod(v.value("period")), Hour: hour, Weekday: time.Weekday(day), Zone: v.value("zone")}
		if err != nil || dayErr != nil || n.Digest.Zone == "" || n.Digest.Check() != nil {
			return n, errs.E(errs.Invalid, "This is no time for a digest. Write the time zone as Europe/Paris or UTC.")
		}
		return n, nil
	})
	if err != nil {
		return err
	}
	return v.done("notifications")
}

type channelLabel struct {
	Channel docs.Channel
	Label   string
}

var channelLabels = map[docs.Channel]channelLabel{
	docs.ChannelOff:    {docs.ChannelOff, "not at all"},
	docs.ChannelInbox:  {docs.ChannelInbox, "in the inbox"},
	docs.ChannelMail:   {docs.ChannelMail, "by mail, at once"},
	docs.ChannelDigest: {docs.ChannelDigest, "by mail, in a digest"},
}

// channels returns the options of a form.
func channels() []channelLabel {
	out := make([]channelLabel, len(docs.Channels))
	for i, c := range docs.Channels {
		out[i] = channelLabels[c]
	}
	return out
}

// hours returns the options for the hour of a digest.
func hours() []int {
	out := make([]int, 24)
	for i := range out {
		out[i] = i
	}
	return out
}

// weekdays returns the options for the weekday of a digest, starting with Monday.
func weekdays() []time.Weekday {
	out := make([]time.Weekday, 7)
	for i := range out {
		out[i] = time.Weekday((i + 1) % 7)
	}
	return out
}

type unsubscribeData struct {
	Key     string
	Digests bool
	Kinds   []string
}

// unsubscribe shows a page that asks for confirmation. Opening a link changes nothing, because mail
// scanners open links too.
func (h *Handler) unsubscribe(w http.ResponseWriter, r *http.Request) {
	key := r.URL.Query().Get("key")
	s, err := h.Inbox.Subscription(r.Context(), key)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	d := unsubscribeData{Key: key, Digests: s.Digests}
	for _, k := range s.Kinds {
		d.Kinds = append(d.Kinds, kindLabels[k])
	}
	h.show(w, http.StatusOK, "unsubscribe", page{Title: "No more mails", Data: d})
}

// endMails unsubscribes from the mails of a link, without a sign-in. Mail programs call it, too (RFC
// 8058).
func (h *Handler) endMails(w http.ResponseWriter, r *http.Request) {
	if err := h.Inbox.Unsubscribe(r.Context(), r.URL.Query().Get("key"), w.Header().Get("X-Request-Id")); err != nil {
		h.fail(w, r, err)
		return
	}
	h.show(w, http.StatusOK, "unsubscribed", page{Title: "No more mails"})
}
