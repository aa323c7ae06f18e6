package openapi

// The limits of a description. What is beyond them is refused by Load with a
// problem that names the limit.
const (
	// MaxBytes is the size of all files of a description together. GitHub's has 13 MB.
	MaxBytes = 16 << 20
	// MaxFiles is the number of files of a description.
	MaxFiles = 500
	// maxDepth is how deep values are nested in a file.
	maxDepth = 128
	// maxNodes is the number of values of a description, each counted as often
	// as the aliases of YAML repeat it.
	maxNodes = 2_000_000
	// maxOperations is the number of operations and webhooks.
	maxOperations = 10_000
	// maxProblems is the number of problems that are reported.
	maxProblems = 50
	// maxReferences is how many references may lead to the next before
	// the value that is meant.
	maxReferences = 32
)

// The limits of what is made of a description for one place in a page.
const (
	// maxParts is how many schemas are joined by allOf into one, and how many
	// choices a schema has.
	maxParts = 100
	// maxProperties is the number of properties of one schema that are shown.
	maxProperties = 1000
	// maxViewed is how many keys and values of a schema and of its parts are
	// looked at for one level of it.
	maxViewed = 4 * maxProperties
	// maxParameters and so on are how many are shown of an operation or of a
	// response.
	maxParameters = 500
	maxMedia      = 20
	maxHeaders    = 100
	maxCallbacks  = 50
	maxResponses  = 60
	// maxExampleDepth and maxExampleNodes bound examples that are generated.
	maxExampleDepth = 8
	maxExampleNodes = 200
	// maxExample is the size of an example that is shown.
	maxExample = 64 << 10
	// maxValues is how many values of an enumeration are shown.
	maxValues = 200
)
