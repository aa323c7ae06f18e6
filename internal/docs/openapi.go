package docs

// OpenAPISpecID and OpenAPIVersionID identify a description of an API and one of
// its versions. People and pages name a description by its slug.
type (
	OpenAPISpecID    string
	OpenAPIVersionID string
	OpenAPISlug      string
)

// OpenAPIState is how far the processing of a description is.
type OpenAPIState string

// States of a description. One that failed is complete, with an error code.
const (
	OpenAPIPending  OpenAPIState = "pending"
	OpenAPIProgress OpenAPIState = "progress"
	OpenAPIComplete OpenAPIState = "complete"
)

// OpenAPIVisibility says who reads a description.
type OpenAPIVisibility string

// A public description has an address that needs no token.
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

// OpenAPISpec is a description of an API that an organization keeps.
type OpenAPISpec struct {
	ID          OpenAPISpecID
	Org         OrgID
	Slug        OpenAPISlug
	SourceURL   string // empty: it was sent as text
	SourceBlob  string // hash of that text
	Visibility  OpenAPIVisibility
	State       OpenAPIState
	Run         int64            // goes up when the source is set and when its processing begins
	LastVersion OpenAPIVersionID // empty: none was good so far
	ProcessedAt Time
	Error       OpenAPIError // of the last processing; empty: it succeeded
	Problems    []OpenAPIProblem
	Fetched     []OpenAPIFile // of the newest version, if it has a URL
	CheckAt     Time          // when the URL is fetched again; zero: never
	// RequestSpace is where a new version opens a change request; empty: nowhere.
	RequestSpace SpaceID
	RequestBy    UserID // in whose name
	CreatedBy    UserID
	CreatedAt    Time
	UpdatedAt    Time
}

// OpenAPIProblem is something that is wrong with a description.
type OpenAPIProblem struct {
	Message string `json:"message"`
	Code    string `json:"code,omitempty"`
}

// OpenAPIFile is a file of a description.
type OpenAPIFile struct {
	// Name is the whole address of a file that was fetched, otherwise its path.
	Name       string   `json:"name"`
	Blob       string   `json:"blob"` // hash of its bytes
	References []string `json:"references,omitempty"`
	// ETag and Modified are what the server returned about the bytes, for conditional
	// requests.
	ETag     string `json:"etag,omitempty"`
	Modified string `json:"modified,omitempty"`
}

// OpenAPIVersion is a description as it was at one time.
type OpenAPIVersion struct {
	ID        OpenAPIVersionID
	Spec      OpenAPISpecID
	Hash      string // of all files
	Root      string // name of the file that the others are referred to from
	Files     []OpenAPIFile
	Document  string // hash of all of it as one file
	Parsed    string // hash of the files as JSON
	CreatedAt Time
}
