package docs

// TranslationID and GlossaryEntryID identify a translation and an entry of the
// glossary of an organization.
type (
	TranslationID   string
	GlossaryEntryID string
)

// TranslationStatus is how far the newest run of a translation is.
type TranslationStatus string

// States of a translation. A run that failed is completed, with an error.
const (
	TranslationPending   TranslationStatus = "pending"
	TranslationRunning   TranslationStatus = "running"
	TranslationCompleted TranslationStatus = "completed"
)

// Translation keeps a space that is another one in another language.
type Translation struct {
	ID           TranslationID
	Org          OrgID
	Source       SpaceID
	From         string // language of the source
	To           string // language of the result
	Instructions []byte // a document, for engines that understand any
	Result       SpaceID
	RunOnMerge   bool // changes of the source start a run
	Status       TranslationStatus
	Run          int64 // goes up when a run is asked for and when it begins

	// SourceRoot is the tree of the source that was translated last, and Machine the
	// revision of the result space that has what engine and memory made of it, beside
	// the line of the space. Both are equal to the first revision before the first run.
	SourceRoot string
	Machine    RevisionID
	Settings   string // hash of what else the last run depended on
	Complete   bool   // the last run left nothing untranslated

	Error        string // of the last run, for people; empty: it succeeded
	DonePages    int64  // of the run that goes on
	AllPages     int64
	Stats        TranslationStats
	CreatedBy    UserID // or who started a run last: runs are in their name
	CreatedAt    Time
	UpdatedAt    Time
	Stale        int64      // corrected blocks whose source changed since
	Untranslated int64      // blocks that are still in the language of the source
	Revision     RevisionID // the newest of the result; empty: it is deleted
}

// TranslationStats counts what runs did. Durations are milliseconds.
type TranslationStats struct {
	Runs           int64
	TotalWords     int64
	TotalPages     int64
	TotalDuration  int64
	LatestWords    int64
	LatestPages    int64
	LatestDuration int64
}

// BlockStatus says why a block of a translation needs a person.
type BlockStatus string

// States of blocks.
const (
	BlockStale        BlockStatus = "stale"        // somebody corrected it, and its source changed since
	BlockUntranslated BlockStatus = "untranslated" // it is in the language of the source
)

// TranslationBlock is a block of a translation that needs a person.
type TranslationBlock struct {
	ID     string // of the block among those of its translation
	Page   string // page or reusable content
	Part   string // document, title or description
	Block  string // key of the block at the top of the document
	Status BlockStatus
	Source string // text of the source, in the protected form
	Text   string // text of the result
	// Outdated reports whether the source changed since the run that listed the block. It is
	// not stored.
	Outdated bool
}

// GlossaryEntry is a term in several languages.
type GlossaryEntry struct {
	ID           GlossaryEntryID
	Org          OrgID
	Translations map[string]string
	CreatedAt    Time
	UpdatedAt    Time
}

// MemoryEntry is a text that was translated.
type MemoryEntry struct {
	Context string // what besides the text decided; MemoryPeople: people did
	Hash    string // of the source
	Source  string // in the protected form
	Target  string
}

// Contexts of translations that are used whatever the instructions and the glossary are:
// those of people, and those of engines elsewhere, which were imported.
const (
	MemoryPeople  = "people"
	MemoryEngines = "engines"
)
