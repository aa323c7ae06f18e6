-- How sites look, who may read them, and where old addresses lead.

ALTER TABLE sites ADD COLUMN customized_at BIGINT NOT NULL DEFAULT 0; -- when customization changed; 0: never
ALTER TABLE sites ADD COLUMN schema_at BIGINT NOT NULL DEFAULT 0; -- when adaptive_schema changed; 0: never
ALTER TABLE sites ADD COLUMN ads TEXT NOT NULL DEFAULT ''; -- JSON; empty: nobody asked for them

CREATE TABLE site_share_links (
    id         text_key PRIMARY KEY,
    site_id    text_key NOT NULL REFERENCES sites (id),
    name       TEXT     NOT NULL,
    search     TEXT     NOT NULL, -- name in lower case
    active     BOOLEAN  NOT NULL,
    key_hash   text_key NOT NULL, -- SHA-256 of the key, by which a link is found
    key_sealed TEXT     NOT NULL, -- internal/sites can open it
    created_at BIGINT   NOT NULL
) /*sqlite: WITHOUT ROWID */;
CREATE UNIQUE INDEX site_share_links_key ON site_share_links (site_id, key_hash);
CREATE INDEX site_share_links_site ON site_share_links (site_id, id);

-- A source has at most one live redirect and one that is being prepared.
CREATE TABLE site_redirects (
    id          text_key PRIMARY KEY,
    site_id     text_key NOT NULL REFERENCES sites (id),
    source      text_key NOT NULL, -- with the wildcard, if any
    prefix      TEXT     NOT NULL, -- source without the wildcard
    wildcard    BOOLEAN  NOT NULL,
    draft       BOOLEAN  NOT NULL,
    keep_suffix BOOLEAN  NOT NULL,
    permanent   BOOLEAN  NOT NULL,
    destination TEXT     NOT NULL, -- JSON
    created_at  BIGINT   NOT NULL,
    updated_at  BIGINT   NOT NULL
) /*sqlite: WITHOUT ROWID */;
CREATE UNIQUE INDEX site_redirects_source ON site_redirects (site_id, draft, source);
CREATE INDEX site_redirects_site ON site_redirects (site_id, id);
CREATE INDEX site_redirects_wildcard ON site_redirects (site_id, draft) WHERE wildcard;

CREATE TABLE site_mcp_servers (
    id         text_key PRIMARY KEY,
    site_id    text_key NOT NULL REFERENCES sites (id),
    name       TEXT     NOT NULL,
    url        TEXT     NOT NULL,
    transport  TEXT     NOT NULL,
    headers    TEXT     NOT NULL, -- sealed: they hold credentials; internal/sites can open them
    condition  TEXT     NOT NULL,
    created_at BIGINT   NOT NULL
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX site_mcp_servers_site ON site_mcp_servers (site_id, id);
