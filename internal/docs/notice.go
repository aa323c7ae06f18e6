package docs

import (
	"fmt"
	"slices"
	"time"
	_ "time/tzdata" // zones that people choose, on machines without them
)

// NoticeID is the ID of the event that a notice is about.
type NoticeID string

// Limits of notices.
const (
	MaxNotices = 1000                // maximum number per user and organization; the oldest are deleted first
	NoticeTime = 90 * 24 * time.Hour // age at which notices are deleted
)

// NoticeKind is the reason of a notice.
type NoticeKind string

// Kinds of notices. If several kinds apply to an event for a user, the first one counts.
const (
	NoticeReviewRequested NoticeKind = "review_requested" // the user's review is requested
	NoticeMentioned       NoticeKind = "mentioned"        // a comment or a reply mentions the user
	NoticeReplied         NoticeKind = "replied"          // somebody replied to a discussion of the user
	NoticeReviewed        NoticeKind = "reviewed"         // the user's change request was reviewed
	NoticeCommented       NoticeKind = "commented"        // the user's change request was commented on
	NoticeMerged          NoticeKind = "merged"           // the user's change request was merged
	NoticeConflicted      NoticeKind = "conflicted"       // the user's change request has conflicts with its space
)

// NoticeKinds are all kinds of notices, in the order in which settings show them.
var NoticeKinds = []NoticeKind{
	NoticeReviewRequested, NoticeMentioned, NoticeReplied, NoticeReviewed, NoticeCommented, NoticeMerged, NoticeConflicted,
}

// Notice informs one user about an event.
type Notice struct {
	ID      NoticeID
	User    UserID
	Kind    NoticeKind
	Actor   UserID // the user who caused the event
	Space   SpaceID
	Request ChangeRequestID // empty if the notice is about the space
	Comment CommentID       // empty if the notice is not about a comment
	Reply   ReplyID         // reply to the comment
	At      Time
	ReadAt  Time    // zero if unread
	Mail    Channel // channel of a mail that still has to be sent; empty if none

	// The following fields are not stored with the notice, but read when it is displayed.
	// Users therefore never see more than they may see at that time.
	Org        OrgID // of the space
	SpaceTitle string
	Number     int64 // of the change request
	Subject    string
	ActorName  string
	Body       string // beginning of the comment or reply in Markdown
}

// Unread reports whether the user has not read the notice.
func (n Notice) Unread() bool { return n.ReadAt.IsZero() }

// Channel is the way in which a user receives a kind of notice.
type Channel string

// Channels. Notices that are sent by mail are in the inbox too.
const (
	ChannelOff    Channel = "off"
	ChannelInbox  Channel = "inbox"
	ChannelMail   Channel = "mail"   // immediately
	ChannelDigest Channel = "digest" // together with others, at a time that the user chose
)

// Channels are all channels.
var Channels = []Channel{ChannelOff, ChannelInbox, ChannelMail, ChannelDigest}

// Mails reports whether the channel sends mails.
func (c Channel) Mails() bool { return c == ChannelMail || c == ChannelDigest }

// Notifications are the notification settings of a user.
type Notifications struct {
	Kinds  map[NoticeKind]Channel // only kinds that differ from the default
	Digest Digest
}

// By returns the channel of a kind of notice.
func (n Notifications) By(k NoticeKind) Channel {
	if c, chosen := n.Kinds[k]; chosen {
		return c
	}
	switch k {
	case NoticeCommented, NoticeMerged:
		return ChannelDigest
	}
	return ChannelMail
}

// With returns the settings with another channel for a kind.
func (n Notifications) With(k NoticeKind, c Channel) Notifications {
	kinds := map[NoticeKind]Channel{k: c}
	for _, other := range NoticeKinds {
		if have, chosen := n.Kinds[other]; chosen && other != k {
			kinds[other] = have
		}
	}
	n.Kinds = kinds
	return n
}

// DigestPeriod is the interval of digests.
type DigestPeriod string

// Periods of digests.
const (
	DigestHourly DigestPeriod = "hourly"
	DigestDaily  DigestPeriod = "daily"
	DigestWeekly DigestPeriod = "weekly"
)

// DigestPeriods are all periods.
var DigestPeriods = []DigestPeriod{DigestHourly, DigestDaily, DigestWeekly}

// Digest is the schedule of the digests of a user.
type Digest struct {
	Period  DigestPeriod
	Hour    int          // 0 to 23, in the time zone
	Weekday time.Weekday // for weekly digests
	Zone    string       // such as Europe/Paris
}

// DefaultDigest is the schedule of users who did not choose one.
var DefaultDigest = Digest{Period: DigestDaily, Hour: 8, Weekday: time.Monday, Zone: "UTC"}

// Check returns an error if a schedule is invalid.
func (d Digest) Check() error {
	switch {
	case !slices.Contains(DigestPeriods, d.Period):
		return fmt.Errorf("%q is no period", d.Period)
	case d.Hour < 0 || d.Hour > 23:
		return fmt.Errorf("%d is no hour", d.Hour)
	case d.Weekday < time.Sunday || d.Weekday > time.Saturday:
		return fmt.Errorf("%d is no day of the week", d.Weekday)
	}
	_, err := zone(d.Zone)
	return err
}

func zone(name string) (*time.Location, error) {
	if len(name) > 64 || name == "Local" { // the time zone of the server is not a valid choice
		return nil, fmt.Errorf("%q is not a time zone", name)
	}
	return time.LoadLocation(name)
}

// Next returns the first time after now at which a digest is sent. If daylight saving
// time skips the hour, it is the hour after.
func (d Digest) Next(now time.Time) time.Time {
	if d.Period == DigestHourly {
		return now.Truncate(time.Hour).Add(time.Hour)
	}
	where, err := zone(d.Zone)
	if err != nil { // the zone was valid when it was chosen
		where = time.UTC
	}
	now = now.In(where)
	for day := 0; ; day++ {
		at := time.Date(now.Year(), now.Month(), now.Day()+day, d.Hour, 0, 0, 0, where)
		if at.After(now) && (d.Period != DigestWeekly || at.Weekday() == d.Weekday) {
			return at
		}
	}
}
