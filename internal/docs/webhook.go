package docs

// Webhook is an address to which an organization sends its events.
type Webhook struct {
	ID             WebhookID
	Org            OrgID
	URL            string
	Events         []string // patterns
	Sealed         string   // encrypted secret for signatures
	Enabled        bool
	DisabledReason string // set if the server disabled the webhook
	Failures       int    // failed attempts since the last success
	FailingSince   Time   // time of the first of them
	ResumeAt       Time   // nothing is sent before
	CreatedBy      UserID
	CreatedAt      Time
	UpdatedAt      Time
}

// DeliveryState is the state of a delivery.
type DeliveryState string

// States. A failed delivery is not retried unless somebody asks for it.
const (
	DeliveryPending   DeliveryState = "pending"
	DeliveryDelivered DeliveryState = "delivered"
	DeliveryFailed    DeliveryState = "failed"
)

// DeliveryKind is why something is sent.
type DeliveryKind string

// Kinds of deliveries.
const (
	DeliveryEvent  DeliveryKind = "event"
	DeliveryReplay DeliveryKind = "replay"
	DeliveryTest   DeliveryKind = "test"
)

// Delivery is the delivery of one event to one webhook. It stays in the log
// after the end.
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

	// The last attempt.
	LastAt Time
	TookMS int64
	Status int    // 0: no response
	Answer string // beginning of the response
	Error  string
}
