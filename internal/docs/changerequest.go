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
	Number        int64 // counts up within the space
	Status        ChangeRequestStatus
	Subject       string
	Description   string // Markdown
	CreatedBy     User
	CreatedAt     Time
	UpdatedAt     Time
	Revision      RevisionID // the newest one of the request
	Initial       RevisionID // of the space, where the request started
	Ancestor      RevisionID // of the space, that was merged into the request last
	Merged        RevisionID // of the space, that merging the request created
	MergedBy      UserID
	MergedAt      Time
	Cluster       string // of issues that it answers
	API           APIComparison
	OpenComments  int
	OpenConflicts int
}

// APIComparison is what a change request is about that a new version of the description of an
// API has opened.
type APIComparison struct {
	Spec     OpenAPISpecID    // empty: the request is about something else
	From, To OpenAPIVersionID // what was compared
	Changes  int64
	Breaking int64 // of the changes: those that break clients
}

// Outdated reports whether the space has revisions that are not merged into the
// request. A merged request is never outdated.
func (c ChangeRequest) Outdated(sp Space) bool {
	return c.Status != ChangeMerged && c.Ancestor != sp.Revision
}

// ReviewStatus is the verdict of a review.
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
	RequestedBy User // zero: nobody asked for it
	Status      ReviewStatus
	Superseded  bool // by a newer review of the same person, or a new request to review
	Comment     string
	CreatedAt   Time
	UpdatedAt   Time
}

// Outdated reports whether a review no longer counts, because it is superseded
// or the request has changed since.
func (r SubmittedReview) Outdated(c ChangeRequest) bool {
	return r.Superseded || c.Status != ChangeMerged && r.Revision != c.Revision
}

// RequestedReviewer is somebody who was asked for a review.
type RequestedReviewer struct {
	Request     ChangeRequestID
	User        User
	Revision    RevisionID
	RequestedBy User
	CreatedAt   Time
}

// Contributor is somebody who worked on a change request.
type Contributor struct {
	User      User
	Action    ContributorAction
	Times     int
	UpdatedAt Time
}

// ContributorAction is what a contributor did.
type ContributorAction string

// Actions of contributors.
const (
	ContributorEdit    ContributorAction = "edit"
	ContributorComment ContributorAction = "comment"
)

// MaxSubject is the length of the subject of a change request in characters.
const MaxSubject = 100
