package people

import (
	"context"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/inbox"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *handlers) inbox() {
	const tag = "Inbox"
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listInbox", Route: "GET /user/inbox", Tag: tag, Allow: authz.SignedIn(docs.ScopeRead),
		Summary: "List what you were notified of, newest first.",
		About: "Only what you may see now is there. Notices are kept for 90 days, the newest 1000 of them. " +
			"`?unread=true&limit=0` returns the number of those that you have not read. They are written a moment after the event.",
	}, h.listInbox)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateNotice", Route: "PATCH /user/inbox/{noticeId}", Tag: tag, Allow: authz.SignedIn(docs.ScopeWrite),
		Summary: "Mark a notice as read or unread.",
	}, h.updateNotice)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "readInbox", Route: "POST /user/inbox/read", Tag: tag, Allow: authz.SignedIn(docs.ScopeWrite), Status: 200,
		Summary: "Mark all notices as read, or those of a kind or an organization.",
	}, h.readInbox)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getNotifications", Route: "GET /user/notifications", Tag: tag, Allow: authz.SignedIn(docs.ScopeRead),
		Summary: "Get what you want to be notified of, and how.",
	}, h.notifications)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateNotifications", Route: "PATCH /user/notifications", Tag: tag, Allow: authz.SignedIn(docs.ScopeWrite),
		Summary: "Change what you want to be notified of, and how.",
		About:   "Mails go to an address that you have proved by signing in with a link.",
	}, h.updateNotifications)
}

// Notice is the JSON form of a notice in the inbox.
type Notice struct {
	Object       string          `json:"object" enum:"notice"`
	ID           string          `json:"id"`
	Kind         docs.NoticeKind `json:"kind" enum:"review_requested,mentioned,replied,reviewed,commented,merged,conflicted"`
	CreatedAt    docs.Time       `json:"createdAt"`
	ReadAt       docs.Time       `json:"readAt,omitzero" doc:"Absent: unread."`
	Organization string          `json:"organization"`
	Actor        noticeActor     `json:"actor" doc:"Who did it."`
	Space        noticeSpace     `json:"space"`
	Request      *noticeRequest  `json:"changeRequest,omitempty"`
	Comment      string          `json:"comment,omitempty" doc:"Id of the comment."`
	Reply        string          `json:"reply,omitempty" doc:"Id of the reply to the comment."`
	Quote        string          `json:"quote,omitempty" doc:"Beginning of the comment or reply, as plain text."`
	URLs         wire.EntryURLs  `json:"urls"`
}

type noticeActor struct {
	ID          string `json:"id"`
	DisplayName string `json:"displayName"`
}

type noticeSpace struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

type noticeRequest struct {
	ID      string `json:"id"`
	Number  int64  `json:"number"`
	Subject string `json:"subject"`
}

func (h *handlers) notice(n docs.Notice) Notice {
	w := Notice{
		Object: "notice", ID: string(n.ID), Kind: n.Kind, CreatedAt: n.At, ReadAt: n.ReadAt, Organization: string(n.Org),
		Actor: noticeActor{string(n.Actor), n.ActorName}, Space: noticeSpace{string(n.Space), n.SpaceTitle},
		Comment: string(n.Comment), Reply: string(n.Reply), Quote: inbox.Quote(n),
		URLs: wire.EntryURLs{Location: h.Location("user", "inbox", string(n.ID)), App: h.BaseURL + inbox.Address(n)},
	}
	if n.Request != "" {
		w.Request = &noticeRequest{string(n.Request), n.Number, n.Subject}
	}
	return w
}

// NoticeFilter holds the filters of the list of notices.
type NoticeFilter struct {
	Unread bool            `query:"unread" doc:"Only notices that you have not read."`
	Kind   docs.NoticeKind `query:"kind" enum:"review_requested,mentioned,replied,reviewed,commented,merged,conflicted"`
	Org    docs.OrgID      `query:"organization" maxLength:"100" doc:"Only notices of this organization."`
}

type listInboxIn struct {
	kernel.Paged
	NoticeFilter
}

func (h *handlers) listInbox(ctx context.Context, in *listInboxIn) (*kernel.Page[Notice], error) {
	return kernel.ListOf(ctx, h.Kernel, in.Paged, h.Inbox.List(authz.FromContext(ctx), inbox.Filter{Unread: in.Unread, Kind: in.Kind, Org: in.Org}), h.notice)
}

type updateNoticeIn struct {
	Notice docs.NoticeID `path:"noticeId" maxLength:"100"`
	Body   struct {
		Read bool `json:"read"`
	}
}

func (h *handlers) updateNotice(ctx context.Context, in *updateNoticeIn) (*kernel.Out[Notice], error) {
	n, err := h.Inbox.Mark(ctx, authz.FromContext(ctx), in.Notice, in.Body.Read)
	if err != nil {
		return nil, err
	}
	return kernel.OK(h.notice(n)), nil
}

type readInboxIn struct {
	Body struct {
		Kind opt.Val[docs.NoticeKind] `json:"kind,omitempty" enum:"review_requested,mentioned,replied,reviewed,commented,merged,conflicted"`
		Org  opt.Val[docs.OrgID]      `json:"organization,omitempty" maxLength:"100"`
	}
}

type readInboxOut struct {
	Read int `json:"read" doc:"How many notices were unread before."`
}

func (h *handlers) readInbox(ctx context.Context, in *readInboxIn) (*kernel.Out[readInboxOut], error) {
	n, err := h.Inbox.MarkAll(ctx, authz.FromContext(ctx), inbox.Filter{Kind: in.Body.Kind.Or(""), Org: in.Body.Org.Or("")})
	if err != nil {
		return nil, err
	}
	return kernel.OK(readInboxOut{n}), nil
}

// Notifications is the JSON form of the notification settings of a user.
type Notifications struct {
	Object string             `json:"object" enum:"notifications"`
	Kinds  NotificationKinds  `json:"kinds" doc:"How you hear of each kind of event: not at all, in the inbox, there and by mail at once, or there and in a digest."`
	Digest NotificationDigest `json:"digest" doc:"When digests are sent."`
}

// NotificationKinds holds the channel for each kind of event.
type NotificationKinds struct {
	ReviewRequested docs.Channel `json:"review_requested" enum:"off,inbox,mail,digest" doc:"You are asked for a review."`
	Mentioned       docs.Channel `json:"mentioned" enum:"off,inbox,mail,digest" doc:"A comment or a reply mentions you."`
	Replied         docs.Channel `json:"replied" enum:"off,inbox,mail,digest" doc:"Somebody replies where you wrote."`
	Reviewed        docs.Channel `json:"reviewed" enum:"off,inbox,mail,digest" doc:"Your change request is reviewed."`
	Commented       docs.Channel `json:"commented" enum:"off,inbox,mail,digest" doc:"Your change request is commented on."`
	Merged          docs.Channel `json:"merged" enum:"off,inbox,mail,digest" doc:"Your change request is merged."`
	Conflicted      docs.Channel `json:"conflicted" enum:"off,inbox,mail,digest" doc:"An update of your change request finds conflicts."`
}

// NotificationDigest is the JSON form of the schedule of digests.
type NotificationDigest struct {
	Period   docs.DigestPeriod `json:"period" enum:"hourly,daily,weekly"`
	Hour     int               `json:"hour" minimum:"0" maximum:"23" doc:"Of daily and weekly ones, in the time zone."`
	Weekday  string            `json:"weekday" enum:"sunday,monday,tuesday,wednesday,thursday,friday,saturday" doc:"Of weekly ones."`
	TimeZone string            `json:"timeZone" doc:"Such as Europe/Paris."`
}

func notifications(n docs.Notifications) Notifications {
	return Notifications{
		Object: "notifications",
		Kinds: NotificationKinds{
			ReviewRequested: n.By(docs.NoticeReviewRequested), Mentioned: n.By(docs.NoticeMentioned), Replied: n.By(docs.NoticeReplied),
			Reviewed: n.By(docs.NoticeReviewed), Commented: n.By(docs.NoticeCommented), Merged: n.By(docs.NoticeMerged), Conflicted: n.By(docs.NoticeConflicted),
		},
		Digest: NotificationDigest{n.Digest.Period, n.Digest.Hour, strings.ToLower(n.Digest.Weekday.String()), n.Digest.Zone},
	}
}

func (h *handlers) notifications(ctx context.Context, _ *struct{}) (*kernel.Out[Notifications], error) {
	n, err := h.Inbox.Settings(ctx, authz.FromContext(ctx))
	if err != nil {
		return nil, err
	}
	return kernel.OK(notifications(n)), nil
}

type notificationKindsPatch struct {
	ReviewRequested opt.Val[docs.Channel] `json:"review_requested,omitempty" enum:"off,inbox,mail,digest"`
	Mentioned       opt.Val[docs.Channel] `json:"mentioned,omitempty" enum:"off,inbox,mail,digest"`
	Replied         opt.Val[docs.Channel] `json:"replied,omitempty" enum:"off,inbox,mail,digest"`
	Reviewed        opt.Val[docs.Channel] `json:"reviewed,omitempty" enum:"off,inbox,mail,digest"`
	Commented       opt.Val[docs.Channel] `json:"commented,omitempty" enum:"off,inbox,mail,digest"`
	Merged          opt.Val[docs.Channel] `json:"merged,omitempty" enum:"off,inbox,mail,digest"`
	Conflicted      opt.Val[docs.Channel] `json:"conflicted,omitempty" enum:"off,inbox,mail,digest"`
}

type notificationDigestPatch struct {
	Period   opt.Val[docs.DigestPeriod] `json:"period,omitempty" enum:"hourly,daily,weekly"`
	Hour     opt.Val[int]               `json:"hour,omitempty" minimum:"0" maximum:"23"`
	Weekday  opt.Val[string]            `json:"weekday,omitempty" enum:"sunday,monday,tuesday,wednesday,thursday,friday,saturday"`
	TimeZone opt.Val[string]            `json:"timeZone,omitempty" minLength:"1" maxLength:"64"`
}

type updateNotificationsIn struct {
	Body struct {
		Kinds  opt.Val[notificationKindsPatch]  `json:"kinds,omitempty"`
		Digest opt.Val[notificationDigestPatch] `json:"digest,omitempty"`
	}
}

// patched returns the settings n with the changes of p.
func (p notificationKindsPatch) patched(n docs.Notifications) docs.Notifications {
	for kind, channel := range map[docs.NoticeKind]opt.Val[docs.Channel]{
		docs.NoticeReviewRequested: p.ReviewRequested, docs.NoticeMentioned: p.Mentioned, docs.NoticeReplied: p.Replied,
		docs.NoticeReviewed: p.Reviewed, docs.NoticeCommented: p.Commented, docs.NoticeMerged: p.Merged, docs.NoticeConflicted: p.Conflicted,
	} {
		if c, set := channel.Get(); set {
			n = n.With(kind, c)
		}
	}
	return n
}

func (p notificationDigestPatch) patched(d docs.Digest) (docs.Digest, error) {
	d.Period, d.Hour, d.Zone = p.Period.Or(d.Period), p.Hour.Or(d.Hour), p.TimeZone.Or(d.Zone)
	if name, set := p.Weekday.Get(); set {
		for day := time.Sunday; day <= time.Saturday; day++ {
			if strings.EqualFold(day.String(), name) {
				d.Weekday = day
			}
		}
	}
	if d.Check() != nil {
		return d, errs.Field("digest.timeZone", "is not a time zone; use a name such as Europe/Paris or UTC")
	}
	return d, nil
}

func (h *handlers) updateNotifications(ctx context.Context, in *updateNotificationsIn) (*kernel.Out[Notifications], error) {
	n, err := h.Inbox.UpdateSettings(ctx, authz.FromContext(ctx), func(n docs.Notifications) (docs.Notifications, error) {
		var err error
		n = in.Body.Kinds.Or(notificationKindsPatch{}).patched(n)
		n.Digest, err = in.Body.Digest.Or(notificationDigestPatch{}).patched(n.Digest)
		return n, err
	})
	if err != nil {
		return nil, err
	}
	return kernel.OK(notifications(n)), nil
}
