-- Git: what spaces have in common with repositories elsewhere, and what is
-- done to keep it so.

-- An import or an export. Those of a space run in the order of their ids.
CREATE TABLE git_operations (
    space_id          text_key NOT NULL REFERENCES spaces (id),
    id                text_key NOT NULL,
    direction         text_key NOT NULL, -- import, export
    state             text_key NOT NULL, -- queued, running, success, failure
    stage             text_key NOT NULL, -- fetch, check, process, finalize; empty: not begun
    url               TEXT     NOT NULL, -- without credentials
    ref               TEXT     NOT NULL,
    directory         TEXT     NOT NULL,
    request           TEXT     NOT NULL, -- JSON
    sealed            TEXT     NOT NULL, -- credentials; internal/gitsync can open them. Empty when it has ended
    done              BIGINT   NOT NULL, -- tasks of the stage
    total             BIGINT   NOT NULL,
    commit_id         text_key NOT NULL, -- what came of it
    revision_id       text_key NOT NULL,
    change_request_id text_key NOT NULL,
    reason            text_key NOT NULL,
    error             TEXT     NOT NULL,
    problems          TEXT     NOT NULL, -- JSON
    problem_count     BIGINT   NOT NULL,
    user_id           text_key NOT NULL REFERENCES users (id),
    created_at        BIGINT   NOT NULL,
    started_at        BIGINT   NOT NULL,
    updated_at        BIGINT   NOT NULL,
    completed_at      BIGINT   NOT NULL, -- 0: it has not ended
    PRIMARY KEY (space_id, id)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX git_operations_open ON git_operations (space_id, id) WHERE completed_at = 0;

-- A commit of a remote and a revision of a space that are equal.
CREATE TABLE git_pairs (
    space_id    text_key NOT NULL REFERENCES spaces (id),
    remote      text_key NOT NULL, -- hash of the next three
    url         TEXT     NOT NULL,
    ref         TEXT     NOT NULL,
    directory   TEXT     NOT NULL,
    commit_id   text_key NOT NULL,
    revision_id text_key NOT NULL,
    line_id     text_key NOT NULL, -- last revision of the space's own line that is in both
    parked_id   text_key NOT NULL, -- change request with what could not be merged
    told_at     BIGINT   NOT NULL, -- newest timestamp that came with an import
    updated_at  BIGINT   NOT NULL,
    PRIMARY KEY (space_id, remote)
) /*sqlite: WITHOUT ROWID */;

-- Keeps a space and a remote synchronized.
CREATE TABLE git_connections (
    space_id        text_key PRIMARY KEY REFERENCES spaces (id),
    url             TEXT     NOT NULL,
    ref             TEXT     NOT NULL,
    directory       TEXT     NOT NULL,
    direction       text_key NOT NULL, -- import, export, both
    sealed          TEXT     NOT NULL, -- credentials
    commit_template TEXT     NOT NULL,
    poll_seconds    BIGINT   NOT NULL,
    paused          BOOLEAN  NOT NULL,
    hook_sealed     TEXT     NOT NULL, -- secret of those who tell of pushes
    provider        text_key NOT NULL,
    user_id         text_key NOT NULL REFERENCES users (id),
    created_at      BIGINT   NOT NULL,
    updated_at      BIGINT   NOT NULL,
    due_at          BIGINT   NOT NULL, -- when to look at the remote; 0: not by itself
    last_operation  text_key NOT NULL
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX git_connections_due ON git_connections (due_at, space_id) WHERE due_at > 0;

-- Commits that revisions were written to: a revision comes first.
CREATE TABLE git_commits (
    space_id    text_key NOT NULL REFERENCES spaces (id),
    revision_id text_key NOT NULL,
    data        TEXT     NOT NULL, -- JSON
    PRIMARY KEY (space_id, revision_id)
) /*sqlite: WITHOUT ROWID */;

-- Git's names of the files that pages, files and contents were written to
-- last.
CREATE TABLE git_blobs (
    space_id text_key NOT NULL REFERENCES spaces (id),
    id       text_key NOT NULL, -- of the page, the file or the content
    body     text_key NOT NULL, -- object or blob that was written
    oid      text_key NOT NULL,
    path     TEXT     NOT NULL,
    PRIMARY KEY (space_id, id)
) /*sqlite: WITHOUT ROWID */;

-- A space tells with every answer which repository it belongs to.
ALTER TABLE spaces ADD COLUMN git_info TEXT NOT NULL DEFAULT ''; -- JSON; empty: none

-- Read from a repository without becoming part of the history.
ALTER TABLE revisions ADD COLUMN aside BOOLEAN NOT NULL DEFAULT FALSE;
