-- Webhooks and what is sent to them.

CREATE TABLE webhooks (
    id              text_key PRIMARY KEY,
    org_id          text_key NOT NULL REFERENCES organizations (id),
    url             TEXT     NOT NULL,
    events          TEXT     NOT NULL, -- patterns separated by blanks
    secret          TEXT     NOT NULL, -- sealed; internal/webhooks can open it
    enabled         BOOLEAN  NOT NULL,
    disabled_reason TEXT     NOT NULL, -- why, if nobody asked for it
    failures        BIGINT   NOT NULL, -- attempts since the last one that succeeded
    failing_since   BIGINT   NOT NULL, -- moment of the first of them
    resume_at       BIGINT   NOT NULL, -- nothing is sent before: too many have failed
    due_at          BIGINT   NOT NULL, -- when there is something to send; far away if there is nothing
    leased_by       text_key NOT NULL, -- one node at a time sends to a webhook
    lease_until     BIGINT   NOT NULL,
    created_by      text_key NOT NULL REFERENCES users (id),
    created_at      BIGINT   NOT NULL,
    updated_at      BIGINT   NOT NULL
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX webhooks_org ON webhooks (org_id, id);
CREATE INDEX webhooks_due ON webhooks (due_at, id);

-- Both the queue and the log. No reference to the webhook: deleting one is
-- quick, and a job removes what it leaves.
CREATE TABLE webhook_deliveries (
    webhook_id text_key NOT NULL,
    id         text_key NOT NULL,
    kind       TEXT     NOT NULL, -- event, replay, test
    replay_of  text_key NOT NULL,
    event_id   text_key NOT NULL, -- of the audit row
    type       TEXT     NOT NULL,
    lane       text_key NOT NULL, -- what is in the same lane is sent in the order of event_id
    payload    TEXT     NOT NULL, -- JSON, as it is sent
    state      text_key NOT NULL, -- pending, delivered, failed
    attempts   BIGINT   NOT NULL,
    created_at BIGINT   NOT NULL,
    first_at   BIGINT   NOT NULL, -- first attempt
    last_at    BIGINT   NOT NULL, -- last attempt; the next five tell of it
    next_at    BIGINT   NOT NULL,
    took_ms    BIGINT   NOT NULL,
    status     BIGINT   NOT NULL, -- of the answer; 0: there was none
    answer     TEXT     NOT NULL, -- beginning of it
    error      TEXT     NOT NULL,
    PRIMARY KEY (webhook_id, id)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX webhook_deliveries_queue ON webhook_deliveries (webhook_id, event_id, id) WHERE state = 'pending';
CREATE INDEX webhook_deliveries_next ON webhook_deliveries (webhook_id, next_at) WHERE state = 'pending';
CREATE INDEX webhook_deliveries_lane ON webhook_deliveries (webhook_id, lane, event_id) WHERE state = 'pending';
CREATE INDEX webhook_deliveries_age ON webhook_deliveries (created_at);

-- Nobody does this job any more: events leave the outbox as they are queued.
DELETE FROM jobs WHERE kind = 'outbox.trim';
