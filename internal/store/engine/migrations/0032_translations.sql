-- Translations of spaces, the glossaries of organizations, and the memory of what was
-- translated.

CREATE TABLE translations (
    id              text_key PRIMARY KEY,
    org_id          text_key NOT NULL REFERENCES organizations (id),
    source_space    text_key NOT NULL,
    source_language TEXT     NOT NULL,
    language        TEXT     NOT NULL,
    instructions    TEXT     NOT NULL, -- JSON: a document
    result_space    text_key NOT NULL,
    run_on_merge    BOOLEAN  NOT NULL,
    status          TEXT     NOT NULL,
    run             BIGINT   NOT NULL, -- goes up when a run is asked for and when it begins
    source_root     text_key NOT NULL, -- tree of the source that was translated last
    machine         text_key NOT NULL, -- revision of the result that has its translation without corrections
    settings        text_key NOT NULL, -- hash of what else the last run depended on
    complete        BOOLEAN  NOT NULL, -- the last run left nothing untranslated
    error           TEXT     NOT NULL, -- of the last run; empty: it succeeded
    done_pages      BIGINT   NOT NULL, -- of the run that goes on
    all_pages       BIGINT   NOT NULL,
    stats           TEXT     NOT NULL, -- JSON
    created_by      text_key NOT NULL REFERENCES users (id),
    created_at      BIGINT   NOT NULL,
    updated_at      BIGINT   NOT NULL
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX translations_org ON translations (org_id, id);
CREATE INDEX translations_source ON translations (source_space);
CREATE INDEX translations_result ON translations (result_space);

CREATE TABLE translation_blocks (
    org_id         text_key NOT NULL REFERENCES organizations (id),
    translation_id text_key NOT NULL REFERENCES translations (id),
    id             text_key NOT NULL,
    page_id        text_key NOT NULL,
    part           TEXT     NOT NULL,
    block          TEXT     NOT NULL,
    status         TEXT     NOT NULL,
    source         TEXT     NOT NULL,
    result         TEXT     NOT NULL,
    PRIMARY KEY (translation_id, id)
) /*sqlite: WITHOUT ROWID */;

CREATE TABLE glossary_entries (
    org_id       text_key NOT NULL REFERENCES organizations (id),
    id           text_key NOT NULL,
    translations TEXT     NOT NULL, -- JSON: by language
    created_at   BIGINT   NOT NULL,
    updated_at   BIGINT   NOT NULL,
    PRIMARY KEY (org_id, id)
) /*sqlite: WITHOUT ROWID */;

CREATE TABLE translation_memory (
    org_id          text_key NOT NULL REFERENCES organizations (id),
    source_language text_key NOT NULL,
    language        text_key NOT NULL,
    context         text_key NOT NULL, -- what besides the text decided: glossary and instructions, or people
    hash            text_key NOT NULL, -- of the source
    source          TEXT     NOT NULL,
    target          TEXT     NOT NULL,
    created_at      BIGINT   NOT NULL,
    PRIMARY KEY (org_id, source_language, language, hash, context)
) /*sqlite: WITHOUT ROWID */;
