package docs

// TranslationID and GlossaryEntryID identify a translation and an entry of the
// glossary of an organization.
type (
	TranslationID   string
	GlossaryEntryID string
)

// TranslationStatus is the state of the newest run of a translation.
type TranslationStatus string

// States of a translation. A failed run is completed and has an error.
const (
	TranslationPending   TranslationStatus = "pending"
	TranslationRunning   TranslationStatus = "running"
	TranslationCompleted TranslationStatus = "completed"
)

// Translation maintains a space that is the translation of another space.
type Translation struct {
	ID           TranslationID
	Org          OrgID
	Source       SpaceID
	From         string // language of the source
	To           string // language of the result
	Instructions []byte // a document, for engines that support instructions
	Result       SpaceID
	RunOnMerge   bool // changes of the source start a run
	Status       TranslationStatus
	Run          int64 // increases when a run is requested and when it starts

	// SourceRoot is the tree of the source at the last run. Machine is the revision with
	// the output of the engine and the memory at that time. It belongs to the result
	// space, but is not part of its history. Before the first run, both are equal to the
	// first revision.
	SourceRoot string
	Machine    RevisionID
	Settings   string // hash of the other inputs of the last run
	Complete   bool   // the last run left nothing untranslated

	Error        string // error message of the last run; empty if it succeeded
	DonePages    int64  // of the current run
	AllPages     int64
	Stats        TranslationStats
	CreatedBy    UserID // or the user who started the last run; runs act on behalf of this user
	CreatedAt    Time
	UpdatedAt    Time       `audit:"-"`
	Stale        int64      // number of corrected blocks whose source changed since
	Untranslated int64      // number of blocks that are still in the source language
	Revision     RevisionID `audit:"-"` // newest revision of the result; empty if it was deleted
}

// TranslationStats are statistics about runs. Durations are in milliseconds.
type TranslationStats struct {
	Runs           int64
	TotalWords     int64
	TotalPages     int64
	TotalDuration  int64
	LatestWords    int64
	LatestPages    int64
	LatestDuration int64
}

// BlockStatus is the reason why a block of a translation needs attention.
type BlockStatus string

// States of blocks.
const (
	BlockStale        BlockStatus = "stale"        // a person corrected it, and its source changed since
	BlockUntranslated BlockStatus = "untranslated" // it is still in the source language
)

// TranslationBlock is a block of a translation that needs the attention of a person.
type TranslationBlock struct {
	ID     string // ID of the block within its translation
	Page   string // page or reusable content
	Part   string // document, title or description
	Block  string // key of the top-level block of the document
	Status BlockStatus
	Source string // source text, in protected form
	Text   string // translated text
	// Outdated reports whether the source changed since the run that listed the block. It
	// is not stored.
	Outdated bool
}

// GlossaryEntry is a term in several languages.
type GlossaryEntry struct {
	ID           GlossaryEntryID
	Org          OrgID
	Translations map[string]string
	CreatedAt    Time
	UpdatedAt    Time `audit:"-"`
}

// MemoryEntry is an entry of a translation memory.
type MemoryEntry struct {
	Context string // identifies the other inputs of the translation; MemoryPeople for translations by people
	Hash    string // hash of the source
	Source  string // in protected form
	Target  string
}

// Contexts of translations that are used regardless of the instructions and the glossary:
// translations by people, and imported translations by other engines.
const (
	MemoryPeople  = "people"
	MemoryEngines = "engines"
)
