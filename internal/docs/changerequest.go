package docs

// ChangeRequestStatus tells how far a change request has come.
type ChangeRequestStatus string

// A change request begins as a draft. Merged is final.
const (
	ChangeDraft    ChangeRequestStatus = "draft"
	ChangeOpen     ChangeRequestStatus = "open"
	ChangeArchived ChangeRequestStatus = "archived"
	ChangeMerged   ChangeRequestStatus = "merged"
)

// ChangeRequest is a proposal to change a space: a line of revisions of its
// own that began at a revision of the space.
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
	Revision      RevisionID // its newest
	Initial       RevisionID // of the space, where it began
	Ancestor      RevisionID // of the space, that was brought in last
	Merged        RevisionID // of the space, that it became
	MergedBy      UserID
	MergedAt      Time
	Cluster       string // of issues that it answers
	OpenComments  int
	OpenConflicts int
}

// Outdated reports whether the space has moved on since the request saw it.
// What is merged stays as it was.
func (c ChangeRequest) Outdated(sp Space) bool {
	return c.Status != ChangeMerged && c.Ancestor != sp.Revision
}

// ReviewStatus is what a reviewer says.
type ReviewStatus string

// Statuses of reviews.
const (
	ReviewApproved  ReviewStatus = "approved"
	ReviewChanges   ReviewStatus = "changes-requested"
	ReviewCommented ReviewStatus = "comment"
)

// SubmittedReview is what somebody said about a revision of a change request.
type SubmittedReview struct {
	ID          ReviewID
	Request     ChangeRequestID
	Revision    RevisionID
	Reviewer    User
	RequestedBy User // none: nobody asked
	Status      ReviewStatus
	Superseded  bool // by a newer review of the same person, or a new request to review
	Comment     string
	CreatedAt   Time
	UpdatedAt   Time
}

// Outdated reports whether a review no longer counts: something newer was said,
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

// MaxSubject is how long the subject of a change request may be.
const MaxSubject = 100
