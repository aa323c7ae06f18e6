package docs

// Webhook is an address to which events of an organization are sent.
type Webhook struct {
	ID             WebhookID
	Org            OrgID
	URL            string
	Events         []string // event patterns
	Sealed         Sealed   // encrypted secret for signatures
	Enabled        bool
	DisabledReason string // set if the server disabled the webhook
	Failures       int    `audit:"-"` // failed attempts since the last success
	FailingSince   Time   `audit:"-"` // time of the first of these failures
	ResumeAt       Time   `audit:"-"` // no deliveries are sent before this time
	CreatedBy      UserID
	CreatedAt      Time
	UpdatedAt      Time `audit:"-"`
}

// DeliveryState is the state of a delivery.
type DeliveryState string

// States of deliveries. A failed delivery is retried only on request.
const (
	DeliveryPending   DeliveryState = "pending"
	DeliveryDelivered DeliveryState = "delivered"
	DeliveryFailed    DeliveryState = "failed"
)

// DeliveryKind is the cause of a delivery.
type DeliveryKind string

// Kinds of deliveries.
const (
	DeliveryEvent  DeliveryKind = "event"
	DeliveryReplay DeliveryKind = "replay"
	DeliveryTest   DeliveryKind = "test"
)

// Delivery is the delivery of one event to one webhook. It remains in the log after it
// ended.
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

	// Fields of the last attempt.
	LastAt Time
	TookMS int64
	Status int    // 0 if there was no response
	Answer string // beginning of the response body
	Error  string
}
