-- Conversations of users, the issues found in them, and clusters of issues.

CREATE TABLE conversations (
    org_id       text_key NOT NULL REFERENCES organizations (id),
    id           text_key NOT NULL,
    source       text_key NOT NULL,
    external_id  text_key NOT NULL, -- as the source names it
    subject      TEXT     NOT NULL,
    url          TEXT     NOT NULL, -- at the source; empty: unknown
    attributes   TEXT     NOT NULL, -- JSON: texts by name
    has_created  BIGINT   NOT NULL, -- 1: the source said when it was created
    created_at   BIGINT   NOT NULL,
    ingested_at  BIGINT   NOT NULL, -- the first time
    hash         text_key NOT NULL, -- of everything that was sent
    version      BIGINT   NOT NULL, -- goes up when something else is sent
    redacted     BIGINT   NOT NULL, -- 1: personal data is masked, also in what is sent later
    processed_at BIGINT   NOT NULL, -- 0: it waits for the analysis
    PRIMARY KEY (org_id, id)
) /*sqlite: WITHOUT ROWID */;
CREATE UNIQUE INDEX conversations_external ON conversations (org_id, source, external_id);
CREATE INDEX conversations_newest ON conversations (org_id, created_at, id);
CREATE INDEX conversations_of_source ON conversations (org_id, source, created_at, id);
CREATE INDEX conversations_waiting ON conversations (org_id, id) WHERE processed_at = 0;

CREATE TABLE conversation_parts (
    org_id          text_key NOT NULL REFERENCES organizations (id),
    conversation_id text_key NOT NULL,
    parts           TEXT     NOT NULL, -- JSON: messages
    PRIMARY KEY (org_id, conversation_id)
);

CREATE TABLE conversation_issues (
    org_id          text_key NOT NULL REFERENCES organizations (id),
    id              text_key NOT NULL, -- follows from source, conversation and number
    conversation_id text_key NOT NULL,
    source          text_key NOT NULL,
    title           TEXT     NOT NULL,
    summary         TEXT     NOT NULL,
    language        TEXT     NOT NULL,
    created_at      BIGINT   NOT NULL, -- of the conversation
    ingested_at     BIGINT   NOT NULL,
    cluster_id      text_key NOT NULL, -- empty: not in one yet
    PRIMARY KEY (org_id, id)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX conversation_issues_newest ON conversation_issues (org_id, created_at, id);
CREATE INDEX conversation_issues_of_cluster ON conversation_issues (org_id, cluster_id, created_at, id);
CREATE INDEX conversation_issues_of_conversation ON conversation_issues (org_id, conversation_id, created_at, id);

CREATE TABLE conversation_clusters (
    org_id        text_key NOT NULL REFERENCES organizations (id),
    id            text_key NOT NULL, -- follows from its first issue
    label         TEXT     NOT NULL,
    icon          TEXT     NOT NULL,
    summary       TEXT     NOT NULL,
    sources       TEXT     NOT NULL, -- JSON: issues by source
    issues        BIGINT   NOT NULL,
    conversations BIGINT   NOT NULL,
    created_at    BIGINT   NOT NULL, -- of its first issue
    updated_at    BIGINT   NOT NULL,
    PRIMARY KEY (org_id, id)
) /*sqlite: WITHOUT ROWID */;

-- What became of issues whose cluster changed: the record of merges and splits.
CREATE TABLE conversation_moves (
    org_id  text_key NOT NULL REFERENCES organizations (id),
    id      text_key NOT NULL,
    kind    TEXT     NOT NULL, -- merged or split
    from_id text_key NOT NULL,
    into_id text_key NOT NULL,
    issues  BIGINT   NOT NULL, -- that moved
    at      BIGINT   NOT NULL,
    PRIMARY KEY (org_id, id)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX conversation_moves_from ON conversation_moves (org_id, from_id, id);

CREATE INDEX change_requests_cluster ON change_requests (cluster_id) WHERE cluster_id <> '';
