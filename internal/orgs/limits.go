package orgs

// Maximum numbers of what users and organizations can create.
const (
	MaxTokens          = 200 // per user
	MaxServiceAccounts = 200 // per organization
)
