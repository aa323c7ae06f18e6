-- Host names that owners want for their sites. sites.hostname is the one that is in use.

CREATE TABLE site_hostnames (
    site_id       text_key PRIMARY KEY REFERENCES sites (id),
    hostname      text_key NOT NULL, -- several sites can claim one; at most one of them uses it
    token         TEXT     NOT NULL, -- what the DNS record must hold
    active        BOOLEAN  NOT NULL,
    problem       TEXT     NOT NULL, -- what the last check found; empty: nothing
    created_at    BIGINT   NOT NULL,
    verified_at   BIGINT   NOT NULL, -- when it became active; 0: it is not
    checked_at    BIGINT   NOT NULL, -- 0: never
    failing_since BIGINT   NOT NULL, -- when the record of an active one was missing first; 0: it is there
    next_check    BIGINT   NOT NULL
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX site_hostnames_due ON site_hostnames (next_check, site_id);
