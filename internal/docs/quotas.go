package docs

// Quota identifies a resource whose use by an organization or a space can be limited.
type Quota string

// Quotas. The first three also apply to spaces.
const (
	QuotaContent       Quota = "content"       // bytes of text, including its history
	QuotaFiles         Quota = "files"         // bytes of files, including their history
	QuotaPages         Quota = "pages"         // pages of the newest revisions
	QuotaMembers       Quota = "members"       // members, including guests and service accounts
	QuotaWebhooks      Quota = "webhooks"      // webhooks of the organization
	QuotaGitOperations Quota = "gitOperations" // operations requested per day
)

// AllQuotas are all quotas, in display order.
var AllQuotas = []Quota{QuotaContent, QuotaFiles, QuotaPages, QuotaMembers, QuotaWebhooks, QuotaGitOperations}

// OfSpaces reports whether the quota also applies to spaces.
func (q Quota) OfSpaces() bool { return q == QuotaContent || q == QuotaFiles || q == QuotaPages }

// InBytes reports whether the quota is counted in bytes.
func (q Quota) InBytes() bool { return q == QuotaContent || q == QuotaFiles }

// Quotas are limits by quota. A quota that is missing is unlimited.
type Quotas map[Quota]int64

// Of returns the limit of a quota, or nil if it is unlimited.
func (q Quotas) Of(of Quota) *int64 {
	if most, limited := q[of]; limited {
		return &most
	}
	return nil
}

// Usage is the current use by quota.
type Usage map[Quota]int64

// Exceeded returns the first quota that a change exceeds. now is the usage after the
// change. Only quotas to which the change adds are checked, so that usage above a limit
// can be reduced.
func (q Quotas) Exceeded(now, added Usage) (Quota, bool) {
	for _, of := range AllQuotas {
		if most, limited := q[of]; limited && added[of] > 0 && now[of] > most {
			return of, true
		}
	}
	return "", false
}
