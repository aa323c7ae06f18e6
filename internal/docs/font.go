package docs

// FontID and UploadKey identify a custom font and an uploaded file of an
// organization.
type (
	FontID    string
	UploadKey string
)

// UploadKind is the purpose of an upload.
type UploadKind string

// UploadFont is the kind of uploads for custom fonts.
const UploadFont UploadKind = "customization_font"

// Upload is an uploaded file that an object is created from later.
type Upload struct {
	Key         UploadKey
	Org         OrgID
	Kind        UploadKind
	Name        string
	ContentType string // detected from its content
	Size        int64
	Blob        string // hash of its content
	CreatedBy   UserID
	CreatedAt   Time
}

// Font is a font that sites of an organization can use.
type Font struct {
	ID        FontID
	Org       OrgID
	Family    string
	Faces     []FontFace // sorted by weight
	CreatedAt Time
	UpdatedAt Time `audit:"-"`
}

// FontFace is the file of one weight of a font.
type FontFace struct {
	Weight int    `json:"weight"`
	Blob   string `json:"blob"`   // hash of its content
	Format string `json:"format"` // such as woff2; also the file extension
}

// File returns the name under which the face is served. It changes with the content.
func (f FontFace) File() string { return f.Blob + "." + f.Format }

// ContentType returns the content type of the file.
func (f FontFace) ContentType() string { return "font/" + f.Format }
