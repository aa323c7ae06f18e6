-- What several readers of a site searched for, or asked. A question is masked, and is stored
-- only after several readers asked it, so none is about one of them. Nothing is stored unless
-- the owner of the site wants it.

ALTER TABLE sites ADD COLUMN keeps_questions BOOLEAN NOT NULL DEFAULT FALSE;

CREATE TABLE site_questions (
    site_id  text_key NOT NULL REFERENCES sites (id),
    id       text_key NOT NULL, -- follows from the site and the question
    day      BIGINT   NOT NULL, -- days since 1970, UTC
    question TEXT     NOT NULL,
    asked    BIGINT   NOT NULL, -- how often
    answered BIGINT   NOT NULL, -- how often a page was found
    PRIMARY KEY (site_id, day, id)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX site_questions_day ON site_questions (day);
