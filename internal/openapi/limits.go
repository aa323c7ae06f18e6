package openapi

// Limits of a description. Load refuses a description beyond them with a problem that
// names the limit.
const (
	// MaxBytes is the total size of all files of a description. GitHub's description has
	// 13 MB.
	MaxBytes = 16 << 20
	// MaxFiles is the maximum number of files of a description.
	MaxFiles = 500
	// maxDepth is the maximum nesting of values in a file.
	maxDepth = 128
	// maxNodes is the maximum number of values of a description. A value that YAML
	// aliases repeat counts for each repetition.
	maxNodes = 2_000_000
	// maxOperations is the maximum number of operations and webhooks.
	maxOperations = 10_000
	// maxProblems is the maximum number of problems that are reported.
	maxProblems = 50
	// maxReferences is the maximum length of a chain of references.
	maxReferences = 32
)

// Limits of what is shown of a description in one place of a page.
const (
	// maxParts is the maximum number of schemas that allOf merges into one, and of the
	// options of a schema.
	maxParts = 100
	// maxProperties is the maximum number of properties shown of one schema.
	maxProperties = 1000
	// maxViewed is the maximum number of keys and values read of a schema and its parts
	// for one level.
	maxViewed = 4 * maxProperties
	// maxParameters and the following are the maximum numbers of items shown of an
	// operation or a response.
	maxParameters = 500
	maxMedia      = 20
	maxHeaders    = 100
	maxCallbacks  = 50
	maxResponses  = 60
	// maxExampleDepth and maxExampleNodes limit generated examples.
	maxExampleDepth = 8
	maxExampleNodes = 200
	// maxExample is the maximum size of an example, in bytes.
	maxExample = 64 << 10
	// maxValues is the maximum number of values shown of an enumeration.
	maxValues = 200
)
