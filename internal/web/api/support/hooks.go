package support

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/support/conversations"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

// hookTime is how long the address of a webhook is valid.
const hookTime = 10 * 365 * 24 * time.Hour

func (h *handlers) hooks(tag string) {
	kernel.Register(h.Kernel, kernel.Op{
		ID: "createConversationsWebhook", Route: "POST /orgs/{organizationId}/conversations-webhooks", Tag: tag, Allow: authz.Org(authz.IngestConvo), Status: 201,
		Summary: "Get an address to which Intercom or Zendesk sends conversations.",
		About: "The address is a secret, and is shown once. It works as long as whoever made it may ingest conversations: make it with the token of a service account to be able to end it. " +
			"With secret, bodies have to be signed with it too: the client secret of an app at Intercom, the signing secret of a webhook at Zendesk.",
	}, h.createHook)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "receiveConversationsWebhook", Route: "POST /conversations-webhooks/{organizationId}/{format}", Tag: tag, Allow: authz.Signed(), Signed: signedHook,
		Status: http.StatusNoContent, MaxBody: 2 * conversations.MaxText, Also: []int{http.StatusUnauthorized},
		Summary: "Receive a conversation from Intercom or Zendesk, at an address that createConversationsWebhook returned.",
		About:   "Messages are added to those that are known of the conversation. Other events do nothing.",
	}, h.receiveHook)
}

// ConversationsWebhook is the JSON form of a webhook that receives conversations.
type ConversationsWebhook struct {
	Object string `json:"object" enum:"conversations-webhook"`
	Format string `json:"format" enum:"intercom,zendesk"`
	Source string `json:"source" doc:"Of the conversations that arrive."`
	Signed bool   `json:"signed" doc:"Bodies have to be signed."`
	URL    string `json:"url" format:"uri" doc:"Where events have to be sent. A secret."`
}

type createConversationHookIn struct {
	wire.OrgIn
	Body struct {
		Format string `json:"format" enum:"intercom,zendesk"`
		Source string `json:"source,omitempty" maxLength:"255" pattern:"^(email|integration:[^:]+:[^:]+)$" patternDescription:"email or integration:NAME:INSTALLATION" doc:"Where the conversations come from. Default: integration:FORMAT:webhook."`
		Secret string `json:"secret,omitempty" maxLength:"255" doc:"By which bodies are signed."`
	}
}

func (a *handlers) createHook(ctx context.Context, in *createConversationHookIn) (*kernel.Out[ConversationsWebhook], error) {
	b := in.Body
	h, err := a.Conversations.NewHook(ctx, authz.FromContext(ctx), b.Format, b.Source, b.Secret)
	if err != nil {
		return nil, err
	}
	query := url.Values{"source": {h.Source}, "user": {string(h.User)}, "sealed": {string(h.Sealed)}}
	query.Set("signature", a.Signer.Sign(a.Clock().Add(hookTime), hookParts(string(h.Org), h.Format, query)...))
	at := a.Location("conversations-webhooks", string(h.Org), h.Format) + "?" + query.Encode()
	return kernel.OK(ConversationsWebhook{"conversations-webhook", h.Format, h.Source, h.Sealed != "", at}), nil
}

// hookParts returns the values that the signature of a webhook address
// covers. The first part prevents the use of other signatures for a webhook.
func hookParts(org, format string, query url.Values) []string {
	return []string{"conversations", org, format, query.Get("source"), query.Get("user"), query.Get("sealed")}
}

func signedHook(r *http.Request) []string {
	return hookParts(r.PathValue("organizationId"), r.PathValue("format"), r.URL.Query())
}

type receiveHookIn struct {
	wire.OrgIn
	Format string      `path:"format"`
	Source string      `query:"source"`
	User   docs.UserID `query:"user"`
	Sealed string      `query:"sealed"`
	wire.SignedAddress
	RawBody []byte
	header  func(string) string
}

// Resolve stores the headers of the request, which contain the signature of the body.
func (in *receiveHookIn) Resolve(ctx huma.Context) []error {
	in.header = ctx.Header
	return nil
}

func (a *handlers) receiveHook(ctx context.Context, in *receiveHookIn) (*kernel.Done, error) {
	h := conversations.Hook{Org: in.Org, Format: in.Format, Source: in.Source, User: in.User, Sealed: docs.Sealed(in.Sealed)}
	return nil, a.Conversations.Receive(ctx, h, authz.FromContext(ctx).Actor, in.header, in.RawBody)
}

var _ huma.Resolver = (*receiveHookIn)(nil)
