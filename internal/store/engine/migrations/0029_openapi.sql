-- Descriptions of APIs that organizations keep, and their versions.

CREATE TABLE openapi_specs (
    id           text_key PRIMARY KEY,
    org_id       text_key NOT NULL REFERENCES organizations (id),
    slug         text_key NOT NULL,
    source_url   TEXT     NOT NULL, -- empty: the description was sent as text
    source_blob  text_key NOT NULL, -- hash of that text; empty: it is fetched
    visibility   TEXT     NOT NULL,
    state        TEXT     NOT NULL,
    run          BIGINT   NOT NULL, -- goes up when the source is set and when its processing begins
    last_version text_key NOT NULL, -- empty: none was good so far
    processed_at BIGINT   NOT NULL,
    error_code   TEXT     NOT NULL, -- empty: the last processing succeeded
    problems     TEXT     NOT NULL, -- JSON: why it failed
    fetched      TEXT     NOT NULL, -- JSON: files of the newest version, with what conditional requests need
    check_at     BIGINT   NOT NULL, -- when the URL is fetched again; 0: never
    created_by   text_key NOT NULL REFERENCES users (id),
    created_at   BIGINT   NOT NULL,
    updated_at   BIGINT   NOT NULL
) /*sqlite: WITHOUT ROWID */;
CREATE UNIQUE INDEX openapi_specs_slug ON openapi_specs (org_id, slug);
CREATE INDEX openapi_specs_due ON openapi_specs (check_at) WHERE check_at > 0;

CREATE TABLE openapi_versions (
    spec_id    text_key NOT NULL REFERENCES openapi_specs (id),
    id         text_key NOT NULL,
    hash       text_key NOT NULL, -- of all files
    root       TEXT     NOT NULL, -- name of the file that the others are referred to from
    files      TEXT     NOT NULL, -- JSON: names, hashes of the bytes, references
    document   text_key NOT NULL, -- hash of all of it as one file
    parsed     text_key NOT NULL, -- hash of the files as JSON
    created_at BIGINT   NOT NULL,
    PRIMARY KEY (spec_id, id)
) /*sqlite: WITHOUT ROWID */;
