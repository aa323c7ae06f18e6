-- Search: what the pages of a layer say, and an index over it that the Go
-- code reads and writes (see internal/search), so that both databases find
-- the same pages in the same order. An index is made of segments, which
-- never change; a change waits in search_pending until there are enough of
-- them for a segment, and is searched there.

CREATE TABLE search_layers (
    layer_id     text_key PRIMARY KEY,
    last_id      BIGINT   NOT NULL, -- of an entry: none is given twice
    last_segment BIGINT   NOT NULL,
    pending      BIGINT   NOT NULL, -- rows in search_pending
    analysis     BIGINT   NOT NULL  -- version of what made the index
) /*sqlite: WITHOUT ROWID */;

-- One entry for each page that the layer knows of. A new state of a page is a
-- new entry, so that what segments say of the old one means nothing.
CREATE TABLE search_pages (
    layer_id text_key NOT NULL,
    page_id  text_key NOT NULL,
    id       BIGINT   NOT NULL,
    state    text_key NOT NULL, -- shown; hidden or gone: not found, here or in lower layers
    language TEXT     NOT NULL,
    title    TEXT     NOT NULL,
    sections TEXT     NOT NULL, -- anchor, heading and text, see joinSections
    PRIMARY KEY (layer_id, page_id)
);
CREATE UNIQUE INDEX search_pages_entry ON search_pages (layer_id, id);

CREATE TABLE search_pending (
    layer_id text_key NOT NULL,
    id       BIGINT   NOT NULL, -- of the entry
    terms    BYTEA    NOT NULL,
    PRIMARY KEY (layer_id, id)
) /*sqlite: WITHOUT ROWID */;

CREATE TABLE search_segments (
    layer_id text_key NOT NULL,
    segment  BIGINT   NOT NULL,
    level    BIGINT   NOT NULL,
    pages    BIGINT   NOT NULL,
    first_id BIGINT   NOT NULL, -- of the entries in it
    last_id  BIGINT   NOT NULL,
    PRIMARY KEY (layer_id, segment)
) /*sqlite: WITHOUT ROWID */;

CREATE TABLE search_index (
    layer_id text_key NOT NULL,
    segment  BIGINT   NOT NULL,
    key      text_key NOT NULL,
    data     BYTEA    NOT NULL,
    PRIMARY KEY (layer_id, segment, key)
);
