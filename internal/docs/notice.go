package docs

import (
	"fmt"
	"slices"
	"time"
	_ "time/tzdata" // zones that people choose, on machines without them
)

// NoticeID is that of the event that a notice is about.
type NoticeID string

// Limits of notices.
const (
	MaxNotices = 1000                // of a person in an organization; the oldest go when there are more
	NoticeTime = 90 * 24 * time.Hour // then they go
)

// NoticeKind says why somebody gets a notice.
type NoticeKind string

// The kinds. If an event is several of them for somebody, the first counts.
const (
	NoticeReviewRequested NoticeKind = "review_requested" // you are asked for a review
	NoticeMentioned       NoticeKind = "mentioned"        // a comment or a reply names you
	NoticeReplied         NoticeKind = "replied"          // somebody replied where you wrote
	NoticeReviewed        NoticeKind = "reviewed"         // your change request was reviewed
	NoticeCommented       NoticeKind = "commented"        // your change request was commented on
	NoticeMerged          NoticeKind = "merged"           // your change request was merged
	NoticeConflicted      NoticeKind = "conflicted"       // your change request has conflicts with its space
)

// NoticeKinds are all of them, in the order in which people choose.
var NoticeKinds = []NoticeKind{
	NoticeReviewRequested, NoticeMentioned, NoticeReplied, NoticeReviewed, NoticeCommented, NoticeMerged, NoticeConflicted,
}

// Notice informs one person of something that happened.
type Notice struct {
	ID      NoticeID
	User    UserID
	Kind    NoticeKind
	Actor   UserID // who did it
	Space   SpaceID
	Request ChangeRequestID // empty: it is about the space
	Comment CommentID       // empty: it is about no comment
	Reply   ReplyID         // to the comment
	At      Time
	ReadAt  Time    // zero: unread
	Mail    Channel // by which a mail about it has yet to be sent; empty: none

	// What follows is not stored with the notice but read when it is shown, so that
	// nobody sees more than they may see at that moment.
	Org        OrgID // of the space
	SpaceTitle string
	Number     int64 // of the change request
	Subject    string
	ActorName  string
	Body       string // beginning of the comment or reply, as Markdown
}

// Unread reports whether the person has not seen it.
func (n Notice) Unread() bool { return n.ReadAt.IsZero() }

// Channel is how somebody wants to hear of a kind of event.
type Channel string

// The channels. Whoever gets a mail finds the notice in the inbox, too.
const (
	ChannelOff    Channel = "off"
	ChannelInbox  Channel = "inbox"
	ChannelMail   Channel = "mail"   // at once
	ChannelDigest Channel = "digest" // together with others, at a time of the person's
)

// Channels are all of them.
var Channels = []Channel{ChannelOff, ChannelInbox, ChannelMail, ChannelDigest}

// Mails reports whether the channel sends mails.
func (c Channel) Mails() bool { return c == ChannelMail || c == ChannelDigest }

// Notifications is how a person wants to hear of things.
type Notifications struct {
	Kinds  map[NoticeKind]Channel // of those that differ from the default
	Digest Digest
}

// By returns the channel of a kind.
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

// With returns the choices with another channel of a kind.
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

// DigestPeriod is how often a digest is sent.
type DigestPeriod string

// The periods.
const (
	DigestHourly DigestPeriod = "hourly"
	DigestDaily  DigestPeriod = "daily"
	DigestWeekly DigestPeriod = "weekly"
)

// DigestPeriods are all of them.
var DigestPeriods = []DigestPeriod{DigestHourly, DigestDaily, DigestWeekly}

// Digest says when somebody wants to get digests.
type Digest struct {
	Period  DigestPeriod
	Hour    int          // 0 to 23, in the time zone
	Weekday time.Weekday // of weekly ones
	Zone    string       // such as Europe/Paris
}

// DefaultDigest is that of people who chose none.
var DefaultDigest = Digest{Period: DigestDaily, Hour: 8, Weekday: time.Monday, Zone: "UTC"}

// Check returns what is wrong with a digest.
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
	if len(name) > 64 || name == "Local" { // that of the server is nobody's choice
		return nil, fmt.Errorf("%q is no time zone", name)
	}
	return time.LoadLocation(name)
}

// Next returns the first moment behind now at which a digest is sent. Where a clock
// is set forward over the hour, it is the hour after.
func (d Digest) Next(now time.Time) time.Time {
	if d.Period == DigestHourly {
		return now.Truncate(time.Hour).Add(time.Hour)
	}
	where, err := zone(d.Zone)
	if err != nil { // it was known when it was chosen
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
