package docs

// Webhook is an address to which an organization sends its events.
type Webhook struct {
	ID             WebhookID
	Org            OrgID
	URL            string
	Events         []string // patterns
	Sealed         string   // the secret that signs, encrypted
	Enabled        bool
	DisabledReason string // why, if nobody asked for it
	Failures       int    // attempts since the last one that succeeded
	FailingSince   Time   // moment of the first of them
	ResumeAt       Time   // nothing is sent before
	CreatedBy      UserID
	CreatedAt      Time
	UpdatedAt      Time
}

// DeliveryState is how far a delivery has come.
type DeliveryState string

// The states. A failed delivery is not tried again unless somebody asks.
const (
	DeliveryPending   DeliveryState = "pending"
	DeliveryDelivered DeliveryState = "delivered"
	DeliveryFailed    DeliveryState = "failed"
)

// DeliveryKind is why something is sent.
type DeliveryKind string

// The kinds.
const (
	DeliveryEvent  DeliveryKind = "event"
	DeliveryReplay DeliveryKind = "replay"
	DeliveryTest   DeliveryKind = "test"
)

// Delivery is one event on its way to one webhook, and afterwards a line of
// the log.
type Delivery struct {
	Webhook   WebhookID
	ID        DeliveryID
	Kind      DeliveryKind
	ReplayOf  DeliveryID
	Event     string
	Type      string
	Lane      string // deliveries in the same lane are sent in the order of their events
	Payload   string // JSON
	State     DeliveryState
	Attempts  int
	CreatedAt Time
	FirstAt   Time // first attempt
	NextAt    Time

	// Of the last attempt.
	LastAt Time
	TookMS int64
	Status int    // 0: there was no answer
	Answer string // its beginning
	Error  string
}
