package docs

// ChangeRequestStatus is the status of a change request.
type ChangeRequestStatus string

// A change request begins as a draft. Merged is final.
const (
	ChangeDraft    ChangeRequestStatus = "draft"
	ChangeOpen     ChangeRequestStatus = "open"
	ChangeArchived ChangeRequestStatus = "archived"
	ChangeMerged   ChangeRequestStatus = "merged"
)

// ChangeRequest is a proposal to change a space: a branch of revisions that
// starts at a revision of the space.
type ChangeRequest struct {
	ID            ChangeRequestID
	Space         SpaceID
	Number        int64 // sequence number within the space
	Status        ChangeRequestStatus
	Subject       string
	Description   string // Markdown
	CreatedBy     User
	CreatedAt     Time
	UpdatedAt     Time       `audit:"-"`
	Revision      RevisionID `audit:"-"` // newest revision of the request
	Initial       RevisionID // revision of the space at which the request started
	Ancestor      RevisionID // last revision of the space that was merged into the request
	Merged        RevisionID // revision of the space that the merge created
	MergedBy      UserID
	MergedAt      Time
	Cluster       string // cluster of issues that the request addresses
	API           APIComparison
	OpenComments  int
	OpenConflicts int
}

// APIComparison describes the API changes that a change request is about, if a new
// version of an API description opened it.
type APIComparison struct {
	Spec     OpenAPISpecID    // empty if the request is about something else
	From, To OpenAPIVersionID // the compared versions
	Changes  int64
	Breaking int64 // number of changes that break clients
}

// Outdated reports whether the space has revisions that are not merged into the request.
// A merged request is never outdated.
func (c ChangeRequest) Outdated(sp Space) bool {
	return c.Status != ChangeMerged && c.Ancestor != sp.Revision
}

// ReviewStatus is the result of a review.
type ReviewStatus string

// Statuses of reviews.
const (
	ReviewApproved  ReviewStatus = "approved"
	ReviewChanges   ReviewStatus = "changes-requested"
	ReviewCommented ReviewStatus = "comment"
)

// SubmittedReview is a review of a revision of a change request.
type SubmittedReview struct {
	ID          ReviewID
	Request     ChangeRequestID
	Revision    RevisionID
	Reviewer    User
	RequestedBy User // zero if nobody requested the review
	Status      ReviewStatus
	Superseded  bool // by a newer review of the same person, or by a new review request
	Comment     string
	CreatedAt   Time
	UpdatedAt   Time
}

// Outdated reports whether a review no longer counts, because it is superseded
// or the request has changed since.
func (r SubmittedReview) Outdated(c ChangeRequest) bool {
	return r.Superseded || c.Status != ChangeMerged && r.Revision != c.Revision
}

// RequestedReviewer is a user whose review was requested.
type RequestedReviewer struct {
	Request     ChangeRequestID
	User        User
	Revision    RevisionID
	RequestedBy User
	CreatedAt   Time
}

// Contributor is a user who contributed to a change request.
type Contributor struct {
	User      User
	Action    ContributorAction
	Times     int
	UpdatedAt Time
}

// ContributorAction is the kind of a contribution.
type ContributorAction string

// Actions of contributors.
const (
	ContributorEdit    ContributorAction = "edit"
	ContributorComment ContributorAction = "comment"
)

// MaxSubject is the maximum length of the subject of a change request in characters.
const MaxSubject = 100
