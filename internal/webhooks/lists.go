package webhooks

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Webhooks lists the webhooks of an organization.
func (s *Service) Webhooks(org docs.OrgID) store.List[docs.Webhook] {
	return store.List[docs.Webhook]{
		Page: func(ctx context.Context, p store.Page) ([]docs.Webhook, store.Key, error) {
			return s.Store.Webhooks(ctx, org, p)
		},
		Count: func(ctx context.Context) (int64, error) { return s.Store.CountWebhooks(ctx, org) },
	}
}

// Webhook returns a webhook of an organization.
func (s *Service) Webhook(ctx context.Context, org docs.OrgID, id docs.WebhookID) (docs.Webhook, error) {
	return s.Store.Webhook(ctx, org, id)
}

// Deliveries lists the deliveries of a webhook, in one state or in all.
func (s *Service) Deliveries(ctx context.Context, org docs.OrgID, id docs.WebhookID, state docs.DeliveryState) (store.List[docs.Delivery], error) {
	_, err := s.Store.Webhook(ctx, org, id)
	return store.List[docs.Delivery]{
		Page: func(ctx context.Context, p store.Page) ([]docs.Delivery, store.Key, error) {
			return s.Store.Deliveries(ctx, id, state, p)
		},
		Count: func(ctx context.Context) (int64, error) { return s.Store.CountDeliveries(ctx, id, state) },
	}, err
}
