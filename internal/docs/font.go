package docs

// FontID and UploadKey identify a custom font and an uploaded file of an
// organization.
type (
	FontID    string
	UploadKey string
)

// UploadKind says what a file is uploaded for.
type UploadKind string

// UploadFont is the kind of files that something is made of here.
const UploadFont UploadKind = "customization_font"

// Upload is a file that was uploaded for something that is made of it later.
type Upload struct {
	Key         UploadKey
	Org         OrgID
	Kind        UploadKind
	Name        string
	ContentType string // by its bytes
	Size        int64
	Blob        string // hash of its bytes
	CreatedBy   UserID
	CreatedAt   Time
}

// Font is a font that sites of an organization can use.
type Font struct {
	ID        FontID
	Org       OrgID
	Family    string
	Faces     []FontFace // by weight
	CreatedAt Time
	UpdatedAt Time
}

// FontFace is the file of one weight of a font.
type FontFace struct {
	Weight int    `json:"weight"`
	Blob   string `json:"blob"`   // hash of its bytes
	Format string `json:"format"` // such as woff2; also the end of its name
}

// File is the name that the face is served under. It changes with the bytes.
func (f FontFace) File() string { return f.Blob + "." + f.Format }

// ContentType of the file.
func (f FontFace) ContentType() string { return "font/" + f.Format }
