-- Identity, organizations, teams, collections, spaces, jobs and the audit log.
--
-- One text for both databases. text_key is a text that is compared bytewise:
-- a domain on PostgreSQL (postgres.go makes it), plain text on SQLite. What
-- stands in /*sqlite: … */ is for SQLite alone: a table without a rowid is one
-- tree instead of two, so that a change writes fewer pages.
-- Moments are milliseconds since 1970 UTC; 0 means "not set".

CREATE TABLE instance (
    id           INTEGER PRIMARY KEY,
    auth_version BIGINT   NOT NULL, -- goes up when a token is revoked: cached tokens are checked again
    secret       text_key NOT NULL, -- signs cursors, the same on every node
    created_at   BIGINT   NOT NULL
);

CREATE TABLE users (
    id           text_key PRIMARY KEY,
    email        text_key NOT NULL UNIQUE,
    verified     BOOLEAN  NOT NULL,
    display_name TEXT     NOT NULL,
    search       TEXT     NOT NULL, -- name and address in lower case, by Go: databases disagree about case
    photo_url    TEXT     NOT NULL,
    created_at   BIGINT   NOT NULL,
    updated_at   BIGINT   NOT NULL
) /*sqlite: WITHOUT ROWID */;

CREATE TABLE tokens (
    id           text_key PRIMARY KEY,
    user_id      text_key NOT NULL REFERENCES users (id),
    hash         text_key NOT NULL UNIQUE,
    label        TEXT     NOT NULL,
    scopes       TEXT     NOT NULL, -- separated by blanks; empty: unrestricted
    created_at   BIGINT   NOT NULL,
    expires_at   BIGINT   NOT NULL,
    last_used_at BIGINT   NOT NULL
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX tokens_user ON tokens (user_id, id);

CREATE TABLE organizations (
    id              text_key PRIMARY KEY,
    title           TEXT     NOT NULL,
    hostname        text_key UNIQUE,
    type            TEXT     NOT NULL,
    use_case        TEXT     NOT NULL,
    community_type  TEXT     NOT NULL,
    default_role    TEXT     NOT NULL,
    default_content TEXT     NOT NULL,
    sso             BOOLEAN  NOT NULL,
    ai              BOOLEAN  NOT NULL,
    invite_links    BOOLEAN  NOT NULL,
    merge_rules     TEXT     NOT NULL, -- JSON
    logo_url        TEXT     NOT NULL,
    email_domains   TEXT     NOT NULL, -- separated by blanks; organization_domains has them for look-up
    plan            TEXT     NOT NULL,
    billing         TEXT     NOT NULL, -- JSON
    trial           TEXT     NOT NULL, -- JSON
    custom_hostname TEXT     NOT NULL,
    blocked_source  TEXT     NOT NULL,
    blocked_reason  TEXT     NOT NULL,
    access_version  BIGINT   NOT NULL, -- goes up when members, teams or grants change: cached access is read again
    created_by      text_key NOT NULL REFERENCES users (id),
    created_at      BIGINT   NOT NULL,
    updated_at      BIGINT   NOT NULL
) /*sqlite: WITHOUT ROWID */;

CREATE TABLE organization_domains (
    org_id text_key NOT NULL REFERENCES organizations (id),
    domain text_key NOT NULL,
    PRIMARY KEY (domain, org_id)
) /*sqlite: WITHOUT ROWID */;

CREATE TABLE members (
    org_id       text_key NOT NULL REFERENCES organizations (id),
    user_id      text_key NOT NULL REFERENCES users (id),
    role         TEXT     NOT NULL, -- empty: guest
    disabled     BOOLEAN  NOT NULL,
    sso          BOOLEAN  NOT NULL,
    joined_at    BIGINT   NOT NULL,
    last_seen_at BIGINT   NOT NULL,
    PRIMARY KEY (org_id, user_id)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX members_user ON members (user_id, org_id);
CREATE INDEX members_joined ON members (org_id, joined_at, user_id);

-- Who was removed, and when: an older invite link does not bring them back.
CREATE TABLE removals (
    org_id     text_key NOT NULL REFERENCES organizations (id),
    user_id    text_key NOT NULL REFERENCES users (id),
    removed_at BIGINT   NOT NULL,
    PRIMARY KEY (org_id, user_id)
) /*sqlite: WITHOUT ROWID */;

CREATE TABLE teams (
    id         text_key PRIMARY KEY,
    org_id     text_key NOT NULL REFERENCES organizations (id),
    title      TEXT     NOT NULL,
    search     TEXT     NOT NULL, -- title in lower case
    created_at BIGINT   NOT NULL
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX teams_org ON teams (org_id, id);

CREATE TABLE team_members (
    team_id text_key NOT NULL REFERENCES teams (id),
    user_id text_key NOT NULL REFERENCES users (id),
    role    TEXT     NOT NULL,
    PRIMARY KEY (team_id, user_id)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX team_members_user ON team_members (user_id, team_id);

CREATE TABLE collections (
    id            text_key PRIMARY KEY,
    org_id        text_key NOT NULL REFERENCES organizations (id),
    parent_id     text_key REFERENCES collections (id),
    title         TEXT     NOT NULL,
    description   TEXT     NOT NULL,
    default_level TEXT     NOT NULL,
    rank          text_key NOT NULL,
    created_by    text_key NOT NULL REFERENCES users (id),
    created_at    BIGINT   NOT NULL,
    updated_at    BIGINT   NOT NULL
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX collections_org ON collections (org_id, rank, id);
CREATE INDEX collections_parent ON collections (parent_id, rank, id) WHERE parent_id IS NOT NULL;

CREATE TABLE spaces (
    id            text_key PRIMARY KEY,
    org_id        text_key NOT NULL REFERENCES organizations (id),
    parent_id     text_key REFERENCES collections (id),
    title         TEXT     NOT NULL,
    emoji         TEXT     NOT NULL,
    icon_url      TEXT     NOT NULL,
    edit_mode     TEXT     NOT NULL,
    default_level TEXT     NOT NULL,
    language      TEXT     NOT NULL,
    merge_rules   TEXT     NOT NULL, -- JSON
    revision_id   text_key NOT NULL,
    rank          text_key NOT NULL,
    created_by    text_key NOT NULL REFERENCES users (id),
    created_at    BIGINT   NOT NULL,
    updated_at    BIGINT   NOT NULL,
    deleted_at    BIGINT   NOT NULL
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX spaces_org ON spaces (org_id, rank, id);
CREATE INDEX spaces_parent ON spaces (parent_id, rank, id) WHERE parent_id IS NOT NULL;

-- The content engine, change requests and comments widen these three.
CREATE TABLE revisions (
    id         text_key PRIMARY KEY,
    space_id   text_key NOT NULL REFERENCES spaces (id),
    type       TEXT     NOT NULL,
    author_id  text_key NOT NULL REFERENCES users (id),
    created_at BIGINT   NOT NULL
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX revisions_space ON revisions (space_id, id);

CREATE TABLE change_requests (
    id       text_key PRIMARY KEY,
    space_id text_key NOT NULL REFERENCES spaces (id),
    number   BIGINT   NOT NULL,
    status   TEXT     NOT NULL,
    UNIQUE (space_id, number)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX change_requests_status ON change_requests (space_id, status);

CREATE TABLE comments (
    id          text_key PRIMARY KEY,
    space_id    text_key NOT NULL REFERENCES spaces (id),
    resolved_at BIGINT   NOT NULL
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX comments_space ON comments (space_id, resolved_at);

-- A subject is a space or a collection.
CREATE TABLE user_grants (
    subject_id   text_key NOT NULL,
    subject_kind TEXT     NOT NULL,
    org_id       text_key NOT NULL REFERENCES organizations (id),
    user_id      text_key NOT NULL REFERENCES users (id),
    role         TEXT     NOT NULL,
    PRIMARY KEY (subject_id, user_id)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX user_grants_user ON user_grants (org_id, user_id, subject_id);

CREATE TABLE team_grants (
    subject_id   text_key NOT NULL,
    subject_kind TEXT     NOT NULL,
    org_id       text_key NOT NULL REFERENCES organizations (id),
    team_id      text_key NOT NULL REFERENCES teams (id),
    role         TEXT     NOT NULL,
    PRIMARY KEY (subject_id, team_id)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX team_grants_team ON team_grants (team_id, subject_id);

CREATE TABLE invite_links (
    id            text_key PRIMARY KEY,
    org_id        text_key NOT NULL REFERENCES organizations (id),
    role          TEXT     NOT NULL,
    space_id      text_key REFERENCES spaces (id),
    collection_id text_key REFERENCES collections (id),
    created_by    text_key NOT NULL REFERENCES users (id),
    created_at    BIGINT   NOT NULL,
    revoked_at    BIGINT   NOT NULL
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX invite_links_org ON invite_links (org_id, id);
CREATE INDEX invite_links_space ON invite_links (space_id) WHERE space_id IS NOT NULL;
CREATE INDEX invite_links_collection ON invite_links (collection_id) WHERE collection_id IS NOT NULL;

CREATE TABLE agent_instructions (
    org_id     text_key PRIMARY KEY REFERENCES organizations (id),
    document   TEXT     NOT NULL, -- JSON
    updated_at BIGINT   NOT NULL,
    updated_by text_key NOT NULL REFERENCES users (id)
) /*sqlite: WITHOUT ROWID */;

-- Who did what: append-only.
CREATE TABLE audit (
    org_id       text_key NOT NULL, -- no reference: the log outlives what it tells of
    id           text_key NOT NULL,
    at           BIGINT   NOT NULL,
    actor_id     text_key NOT NULL,
    token_id     text_key NOT NULL,
    request_id   TEXT     NOT NULL,
    action       TEXT     NOT NULL,
    subject_kind TEXT     NOT NULL,
    subject_id   text_key NOT NULL,
    data         TEXT     NOT NULL, -- JSON
    PRIMARY KEY (org_id, id)
) /*sqlite: WITHOUT ROWID */;

-- Events that wait to be delivered.
CREATE TABLE outbox (
    id     text_key PRIMARY KEY, -- of the audit row
    org_id text_key NOT NULL,
    at     BIGINT   NOT NULL
) /*sqlite: WITHOUT ROWID */;

CREATE TABLE jobs (
    id          text_key PRIMARY KEY,
    kind        text_key NOT NULL,
    key         text_key NOT NULL, -- what makes the job one of a kind
    payload     TEXT     NOT NULL, -- JSON
    state       text_key NOT NULL, -- queued, running, failed
    every_ms    BIGINT   NOT NULL, -- 0: once
    run_at      BIGINT   NOT NULL,
    attempts    BIGINT   NOT NULL,
    runs        BIGINT   NOT NULL, -- finished runs, of jobs that repeat
    leased_by   text_key NOT NULL,
    lease_until BIGINT   NOT NULL,
    last_error  TEXT     NOT NULL,
    created_at  BIGINT   NOT NULL,
    UNIQUE (kind, key)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX jobs_due ON jobs (state, run_at, id);
