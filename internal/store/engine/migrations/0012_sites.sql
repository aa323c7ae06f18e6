-- Sites: where spaces are published, in which order and for whom.

CREATE TABLE sites (
    id              text_key PRIMARY KEY,
    org_id          text_key NOT NULL REFERENCES organizations (id),
    title           TEXT     NOT NULL,
    search          TEXT     NOT NULL, -- title in lower case
    type            TEXT     NOT NULL,
    visibility      TEXT     NOT NULL,
    published       BOOLEAN  NOT NULL,
    basename        text_key UNIQUE,
    hostname        text_key UNIQUE,
    proxy           TEXT     NOT NULL, -- host and path; empty: none
    adaptive        BOOLEAN  NOT NULL,
    agents_context  TEXT     NOT NULL,
    default_level   TEXT     NOT NULL,
    site_spaces     BIGINT   NOT NULL, -- how many there are
    version         BIGINT   NOT NULL, -- goes up with every change of the site or its items
    customization   TEXT     NOT NULL DEFAULT '', -- JSON
    adaptive_schema TEXT     NOT NULL DEFAULT '', -- JSON
    auth            TEXT     NOT NULL DEFAULT '', -- JSON
    created_by      text_key NOT NULL REFERENCES users (id),
    created_at      BIGINT   NOT NULL,
    updated_at      BIGINT   NOT NULL
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX sites_org ON sites (org_id, id);

-- Sections, groups and site spaces: one ordered tree for each site.
CREATE TABLE site_items (
    id            text_key PRIMARY KEY,
    site_id       text_key NOT NULL REFERENCES sites (id),
    kind          TEXT     NOT NULL,
    parent_id     text_key NOT NULL, -- empty: the site
    rank          text_key NOT NULL,
    title         TEXT     NOT NULL, -- of a site space: empty, it has that of its space
    path          TEXT     NOT NULL,
    icon          TEXT     NOT NULL,
    description   TEXT     NOT NULL,
    condition     TEXT     NOT NULL,
    is_default    BOOLEAN  NOT NULL,
    space_id      text_key REFERENCES spaces (id),
    address       TEXT     NOT NULL, -- of a site space: the path below that of the site
    customization TEXT     NOT NULL DEFAULT '' -- JSON
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX site_items_site ON site_items (site_id, rank, id);
CREATE INDEX site_items_space ON site_items (space_id, site_id) WHERE space_id IS NOT NULL;

-- Where a space is published. Kept with the space: lists of spaces show it.
ALTER TABLE spaces ADD COLUMN published TEXT NOT NULL DEFAULT ''; -- JSON; empty: nowhere
