package docs

// OpenAPISpecID and OpenAPIVersionID identify an API description and one of its versions.
// Users and pages refer to a description by its slug.
type (
	OpenAPISpecID    string
	OpenAPIVersionID string
	OpenAPISlug      string
)

// OpenAPIState is the processing state of a description.
type OpenAPIState string

// States of a description. A description whose processing failed is complete and has an
// error code.
const (
	OpenAPIPending  OpenAPIState = "pending"
	OpenAPIProgress OpenAPIState = "progress"
	OpenAPIComplete OpenAPIState = "complete"
)

// OpenAPIVisibility determines who can read a description.
type OpenAPIVisibility string

// A public description has an address that does not require a token.
const (
	OpenAPIPrivate OpenAPIVisibility = "private"
	OpenAPIPublic  OpenAPIVisibility = "public"
)

// OpenAPIError is the kind of failure of the last processing.
type OpenAPIError string

// Kinds of failures.
const (
	OpenAPIFetchTimeout OpenAPIError = "FETCH_TIMEOUT"
	OpenAPIFetchError   OpenAPIError = "FETCH_ERROR"
	OpenAPIParseError   OpenAPIError = "PARSE_ERROR"
)

// OpenAPISpec is an API description of an organization.
type OpenAPISpec struct {
	ID          OpenAPISpecID
	Org         OrgID
	Slug        OpenAPISlug
	SourceURL   string // empty if it was sent as text
	SourceBlob  string // hash of the text
	Visibility  OpenAPIVisibility
	State       OpenAPIState
	Run         int64            // increases when the source is set and when its processing starts
	LastVersion OpenAPIVersionID // empty if no version was valid so far
	ProcessedAt Time
	Error       OpenAPIError // of the last processing; empty if it succeeded
	Problems    []OpenAPIProblem
	Fetched     []OpenAPIFile // files of the newest version, if the source is a URL
	CheckAt     Time          // time of the next fetch of the URL; zero means never
	// RequestSpace is the space in which a new version opens a change request. It may be
	// empty.
	RequestSpace SpaceID
	RequestBy    UserID // user on whose behalf the change request is opened
	CreatedBy    UserID
	CreatedAt    Time
	UpdatedAt    Time `audit:"-"`
}

// OpenAPIProblem is a problem of a description.
type OpenAPIProblem struct {
	Message string `json:"message"`
	Code    string `json:"code,omitempty"`
}

// OpenAPIFile is a file of a description.
type OpenAPIFile struct {
	// Name is the URL of a fetched file, or the path of another file.
	Name       string   `json:"name"`
	Blob       string   `json:"blob"` // hash of its content
	References []string `json:"references,omitempty"`
	// ETag and Modified are from the response of the server, for conditional requests.
	ETag     string `json:"etag,omitempty"`
	Modified string `json:"modified,omitempty"`
}

// OpenAPIVersion is a version of a description.
type OpenAPIVersion struct {
	ID        OpenAPIVersionID
	Spec      OpenAPISpecID
	Hash      string // hash of all files
	Root      string // name of the root file, which refers to the others
	Files     []OpenAPIFile
	Document  string // hash of the whole description as one file
	Parsed    string // hash of the files as JSON
	CreatedAt Time
}
