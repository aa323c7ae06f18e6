-- Content: immutable objects, revisions that name them, and what is kept of
-- the newest revision of each space so that links can be followed backward.

-- Whatever is content: sources of pages, and the nodes of the tree that a
-- revision is. The hash is that of the data, so a row never changes.
CREATE TABLE objects (
    hash text_key PRIMARY KEY,
    data BYTEA    NOT NULL
);

ALTER TABLE revisions ADD COLUMN root text_key NOT NULL DEFAULT ''; -- object; empty: no content
ALTER TABLE revisions ADD COLUMN parents TEXT NOT NULL DEFAULT '[]'; -- JSON
ALTER TABLE revisions ADD COLUMN message TEXT NOT NULL DEFAULT '';
ALTER TABLE revisions ADD COLUMN git TEXT NOT NULL DEFAULT ''; -- JSON; empty: not from git

-- Documents by their id, for reading them when their page has moved on.
CREATE TABLE documents (
    space_id text_key NOT NULL REFERENCES spaces (id),
    id       text_key NOT NULL,
    page_id  text_key NOT NULL,
    body     text_key NOT NULL,
    side     text_key NOT NULL,
    PRIMARY KEY (space_id, id)
) /*sqlite: WITHOUT ROWID */;

-- An index layer says of pages what is in them. A space reads its own layer,
-- and below it the layers that it was copied from: copying a space freezes
-- the layer of the original and gives each of the two a new one on top.
CREATE TABLE layers (
    id        text_key PRIMARY KEY,
    parent_id text_key NOT NULL, -- empty: none
    depth     BIGINT   NOT NULL  -- how many are below
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX layers_parent ON layers (parent_id);

ALTER TABLE spaces ADD COLUMN layer_id text_key NOT NULL DEFAULT '';
UPDATE spaces SET layer_id = id;
INSERT INTO layers (id, parent_id, depth) SELECT id, '', 0 FROM spaces;
CREATE INDEX spaces_layer ON spaces (layer_id);

-- A page, or a reusable content, as the layer knows it; one that is gone
-- hides what lower layers say.
CREATE TABLE layer_pages (
    layer_id text_key NOT NULL,
    page_id  text_key NOT NULL,
    gone     BOOLEAN  NOT NULL,
    anchors  TEXT     NOT NULL, -- separated and enclosed by line ends
    PRIMARY KEY (layer_id, page_id)
) /*sqlite: WITHOUT ROWID */;

-- References from a page to something else.
CREATE TABLE links (
    layer_id text_key NOT NULL,
    page_id  text_key NOT NULL,
    n        BIGINT   NOT NULL, -- where among the references of the page
    kind     text_key NOT NULL,
    space_id text_key NOT NULL, -- of the target; empty: the same space
    target   text_key NOT NULL, -- id, or address
    anchor   text_key NOT NULL, -- of an unresolved one: the last part of its path, by which a new page finds it
    node     text_key NOT NULL, -- key of the block that has it
    label    TEXT     NOT NULL, -- what a reader sees
    hard     BOOLEAN  NOT NULL, -- the page cannot be shown without the target
    loose    BOOLEAN  NOT NULL, -- found by a path that is not tied to the target
    PRIMARY KEY (layer_id, page_id, n)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX links_target ON links (target, kind, layer_id);
CREATE INDEX links_order ON links (layer_id, kind, space_id, target, anchor, page_id, n);
CREATE INDEX links_loose ON links (layer_id, page_id) WHERE loose;
