-- Files that were uploaded for something that is made of them later, and fonts.

CREATE TABLE uploads (
    key          text_key PRIMARY KEY,
    org_id       text_key NOT NULL REFERENCES organizations (id),
    kind         text_key NOT NULL,
    name         TEXT     NOT NULL,
    content_type TEXT     NOT NULL,
    size         BIGINT   NOT NULL,
    blob         text_key NOT NULL, -- hash of the bytes
    created_by   text_key NOT NULL,
    created_at   BIGINT   NOT NULL
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX uploads_org ON uploads (org_id);
CREATE INDEX uploads_age ON uploads (created_at);

CREATE TABLE fonts (
    id         text_key PRIMARY KEY,
    org_id     text_key NOT NULL REFERENCES organizations (id),
    family     TEXT     NOT NULL,
    faces      TEXT     NOT NULL, -- JSON: weight, hash of the bytes, format
    created_at BIGINT   NOT NULL,
    updated_at BIGINT   NOT NULL
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX fonts_org ON fonts (org_id, id);
