package docs

// Quota names something of which an organization or a space may be allowed only so much.
type Quota string

// The quotas. Those of spaces are the first three.
const (
	QuotaContent       Quota = "content"       // bytes of text, with all of its history
	QuotaFiles         Quota = "files"         // bytes of files, with all of their history
	QuotaPages         Quota = "pages"         // of the newest revisions
	QuotaMembers       Quota = "members"       // with guests and service accounts
	QuotaWebhooks      Quota = "webhooks"      //
	QuotaGitOperations Quota = "gitOperations" // asked for in a day
)

// AllQuotas are all of them, in the order in which they are shown.
var AllQuotas = []Quota{QuotaContent, QuotaFiles, QuotaPages, QuotaMembers, QuotaWebhooks, QuotaGitOperations}

// OfSpaces reports whether a space can have the quota too.
func (q Quota) OfSpaces() bool { return q == QuotaContent || q == QuotaFiles || q == QuotaPages }

// InBytes reports whether the quota is counted in bytes.
func (q Quota) InBytes() bool { return q == QuotaContent || q == QuotaFiles }

// Quotas are how much there may be; what is not in it is unlimited.
type Quotas map[Quota]int64

// Of returns how much there may be of something; nil is unlimited.
func (q Quotas) Of(of Quota) *int64 {
	if most, limited := q[of]; limited {
		return &most
	}
	return nil
}

// Usage is how much there is.
type Usage map[Quota]int64

// Exceeded returns the first quota that a change exceeds. Only what the change adds to counts:
// whoever has too much already can make it less.
func (q Quotas) Exceeded(now, added Usage) (Quota, bool) {
	for _, of := range AllQuotas {
		if most, limited := q[of]; limited && added[of] > 0 && now[of] > most {
			return of, true
		}
	}
	return "", false
}
