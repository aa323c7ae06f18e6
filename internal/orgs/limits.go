package orgs

// How much there may be of what people make.
const (
	MaxTokens          = 200 // of a user
	MaxServiceAccounts = 200 // of an organization
)
