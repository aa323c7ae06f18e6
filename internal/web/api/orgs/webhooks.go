package orgs

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
	"github.com/octavo-docs/octavo/internal/webhooks"
)

func (h *handlers) webhooks() {
	const (
		tag  = "Webhooks"
		root = "/orgs/{organizationId}/webhooks"
		one  = root + "/{webhookId}"
	)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listWebhooks", Route: "GET " + root, Tag: tag, Allow: authz.Org(authz.HookAddresses),
		Summary: "List the webhooks of an organization.",
	}, h.listWebhooks)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "createWebhook", Route: "POST " + root, Tag: tag, Allow: authz.Org(authz.AdminOrg), Status: 201,
		Also:    []int{http.StatusPreconditionFailed},
		Summary: "Create a webhook that sends events of the organization to a URL. Its secret is returned only once.",
		About: "Every action of the audit log is an event. Each is sent as a POST that is signed with the secret, and repeated for a day until the receiver answers with 2xx. " +
			"An organization can have 50 webhooks.",
	}, h.createWebhook)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getWebhook", Route: "GET " + one, Tag: tag, Allow: authz.Org(authz.HookAddresses),
		Summary: "Get a webhook.",
	}, h.getWebhook)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateWebhook", Route: "PATCH " + one, Tag: tag, Allow: authz.Org(authz.AdminOrg),
		Summary: "Change a webhook, enable or disable it, or replace its secret.",
		About:   "Disabling it cancels its pending deliveries.",
	}, h.updateWebhook)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "deleteWebhook", Route: "DELETE " + one, Tag: tag, Allow: authz.Org(authz.AdminOrg),
		Summary: "Delete a webhook and its deliveries.",
	}, h.deleteWebhook)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "testWebhook", Route: "POST " + one + "/test", Tag: tag, Allow: authz.Org(authz.AdminOrg), Status: 202,
		Also:    []int{http.StatusPreconditionFailed},
		Summary: "Send a test event of the type webhook.test, once.",
		About:   "The result appears in the deliveries after a moment.",
	}, h.testWebhook)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listWebhookDeliveries", Route: "GET " + one + "/deliveries", Tag: tag, Allow: authz.Org(authz.ReadAsAdmin),
		Summary: "List the deliveries to a webhook, pending ones included, newest first.",
		About:   "Kept for 7 days.",
	}, h.listDeliveries)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "replayWebhookDelivery", Route: "POST " + one + "/deliveries/{deliveryId}/replay", Tag: tag, Allow: authz.Org(authz.AdminOrg), Status: 202,
		Also:    []int{http.StatusPreconditionFailed},
		Summary: "Repeat a delivery that succeeded or failed, with the same body.",
	}, h.replayDelivery)
}

// Webhook is the JSON form of a webhook.
type Webhook struct {
	Object         string        `json:"object" enum:"webhook"`
	ID             string        `json:"id"`
	URL            string        `json:"url" format:"uri"`
	Events         []string      `json:"events" doc:"Patterns of the events that are sent."`
	Enabled        bool          `json:"enabled"`
	DisabledReason string        `json:"disabledReason,omitempty" doc:"Why the server disabled the webhook."`
	FailingSince   docs.Time     `json:"failingSince,omitzero" doc:"Time since which no delivery succeeded; after 24 hours the webhook is disabled."`
	CreatedBy      string        `json:"createdBy" doc:"Id of the user."`
	CreatedAt      docs.Time     `json:"createdAt"`
	UpdatedAt      docs.Time     `json:"updatedAt"`
	Secret         string        `json:"secret,omitempty" doc:"Signs what is sent. Returned when it is set, and never again."`
	URLs           wire.Location `json:"urls"`
}

func (h *handlers) webhook(w docs.Webhook) Webhook {
	return Webhook{
		Object: "webhook", ID: string(w.ID), URL: w.URL, Events: w.Events, Enabled: w.Enabled, DisabledReason: w.DisabledReason,
		FailingSince: w.FailingSince, CreatedBy: string(w.CreatedBy), CreatedAt: w.CreatedAt, UpdatedAt: w.UpdatedAt,
		URLs: wire.Location{Location: h.Location("orgs", string(w.Org), "webhooks", string(w.ID))},
	}
}

type listWebhooksIn struct {
	wire.OrgIn
	kernel.Paged
}

func (h *handlers) listWebhooks(ctx context.Context, in *listWebhooksIn) (*kernel.Page[Webhook], error) {
	return kernel.ListOf(ctx, h.Kernel, in.Paged, h.Webhooks.Webhooks(in.Org), h.webhook)
}

type createWebhookIn struct {
	wire.OrgIn
	Body struct {
		URL     string        `json:"url" minLength:"1" maxLength:"2048" doc:"http or https. Private addresses must be allowed by the operator."`
		Events  []string      `json:"events,omitempty" maxItems:"50" doc:"Actions of the audit log (space.update), groups of them (space.content.*), * for all, or space_content_updated, space_gitsync_started and space_gitsync_completed, which have a format of their own. Default: all."`
		Secret  string        `json:"secret,omitempty" minLength:"16" maxLength:"256" doc:"Default: a new one is created."`
		Enabled opt.Val[bool] `json:"enabled,omitempty" doc:"Default: true."`
	}
}

func (h *handlers) createWebhook(ctx context.Context, in *createWebhookIn) (*kernel.Created[Webhook], error) {
	w, secret, err := h.Webhooks.Create(ctx, authz.FromContext(ctx), in.Org, webhooks.New{
		URL: in.Body.URL, Events: in.Body.Events, Secret: in.Body.Secret, Enabled: in.Body.Enabled.Or(true),
	})
	out := h.webhook(w)
	out.Secret = secret
	return kernel.Made(out.URLs.Location, out), err
}

type WebhookIn struct {
	wire.OrgIn
	Webhook docs.WebhookID `path:"webhookId"`
}

func (h *handlers) getWebhook(ctx context.Context, in *WebhookIn) (*kernel.Out[Webhook], error) {
	w, err := h.Webhooks.Webhook(ctx, in.Org, in.Webhook)
	return kernel.OK(h.webhook(w)), err
}

type updateWebhookIn struct {
	WebhookIn
	Body struct {
		URL     opt.Val[string]   `json:"url,omitempty" minLength:"1" maxLength:"2048"`
		Events  opt.Val[[]string] `json:"events,omitempty" maxItems:"50"`
		Secret  opt.Val[string]   `json:"secret,omitempty" minLength:"16" maxLength:"256" nullable:"true" doc:"null creates a new one, which is returned only once."`
		Enabled opt.Val[bool]     `json:"enabled,omitempty"`
	}
}

func (h *handlers) updateWebhook(ctx context.Context, in *updateWebhookIn) (*kernel.Out[Webhook], error) {
	b := in.Body
	if !b.URL.IsSet() && !b.Events.IsSet() && !b.Secret.IsSet() && !b.Enabled.IsSet() {
		return nil, errs.Field("", "must contain url, events, secret or enabled")
	}
	w, secret, err := h.Webhooks.Update(ctx, authz.FromContext(ctx), in.Org, in.Webhook, webhooks.Patch(b))
	v := h.webhook(w)
	v.Secret = secret
	return kernel.OK(v), err
}

func (h *handlers) deleteWebhook(ctx context.Context, in *WebhookIn) (*kernel.Done, error) {
	return nil, h.Webhooks.Delete(ctx, authz.FromContext(ctx), in.Org, in.Webhook)
}

// WebhookDelivery is the JSON form of a delivery to a webhook.
type WebhookDelivery struct {
	Object        string             `json:"object" enum:"webhook-delivery"`
	ID            string             `json:"id"`
	Kind          docs.DeliveryKind  `json:"kind" enum:"event,replay,test"`
	ReplayOf      string             `json:"replayOf,omitempty" doc:"Id of the delivery that this one repeats."`
	EventID       string             `json:"eventId" doc:"The same in every delivery of an event, so that receivers can detect repetitions."`
	Type          string             `json:"type"`
	Status        docs.DeliveryState `json:"status" enum:"pending,delivered,failed"`
	Attempts      int                `json:"attempts"`
	CreatedAt     docs.Time          `json:"createdAt"`
	LastAttemptAt docs.Time          `json:"lastAttemptAt,omitzero"`
	NextAttemptAt docs.Time          `json:"nextAttemptAt,omitzero" doc:"Earliest time of the next attempt, if the delivery is pending."`
	Duration      int64              `json:"duration" doc:"Duration of the last attempt, in milliseconds."`
	Response      *webhookResponse   `json:"response,omitempty" doc:"The last answer of the receiver."`
	Error         string             `json:"error,omitempty" doc:"Why the delivery failed."`
	Payload       map[string]any     `json:"payload" doc:"The body that is sent."`
}

type webhookResponse struct {
	Status int    `json:"status"`
	Body   string `json:"body" doc:"The beginning of the body."`
}

func (h *handlers) delivery(d docs.Delivery) WebhookDelivery {
	w := WebhookDelivery{
		Object: "webhook-delivery", ID: string(d.ID), Kind: d.Kind, ReplayOf: string(d.ReplayOf), EventID: d.Event, Type: d.Type,
		Status: d.State, Attempts: d.Attempts, CreatedAt: d.CreatedAt, LastAttemptAt: d.LastAt, Duration: d.TookMS, Error: d.Error,
		Payload: map[string]any{},
	}
	if d.State == docs.DeliveryPending {
		w.NextAttemptAt = d.NextAt
	}
	if d.Status > 0 {
		w.Response = &webhookResponse{d.Status, d.Answer}
	}
	_ = json.Unmarshal([]byte(d.Payload), &w.Payload) // the server wrote it as a JSON object
	return w
}

func (h *handlers) testWebhook(ctx context.Context, in *WebhookIn) (*kernel.Out[WebhookDelivery], error) {
	d, err := h.Webhooks.Test(ctx, authz.FromContext(ctx), in.Org, in.Webhook)
	return kernel.OK(h.delivery(d)), err
}

type listDeliveriesIn struct {
	WebhookIn
	kernel.Paged
	Status docs.DeliveryState `query:"status" enum:"pending,delivered,failed"`
}

func (h *handlers) listDeliveries(ctx context.Context, in *listDeliveriesIn) (*kernel.Page[WebhookDelivery], error) {
	list, err := h.Webhooks.Deliveries(ctx, in.Org, in.Webhook, in.Status)
	if err != nil {
		return nil, err
	}
	return kernel.ListOf(ctx, h.Kernel, in.Paged, list, h.delivery)
}

type deliveryIn struct {
	WebhookIn
	Delivery docs.DeliveryID `path:"deliveryId"`
}

func (h *handlers) replayDelivery(ctx context.Context, in *deliveryIn) (*kernel.Out[WebhookDelivery], error) {
	d, err := h.Webhooks.Replay(ctx, authz.FromContext(ctx), in.Org, in.Webhook, in.Delivery)
	return kernel.OK(h.delivery(d)), err
}
