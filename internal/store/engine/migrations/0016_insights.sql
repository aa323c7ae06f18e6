-- What happens on sites, counted by day. There is nothing about visitors here.
-- The number of rows depends on the pages of a site and not on its readers.

CREATE TABLE site_events (
    site_id       text_key NOT NULL REFERENCES sites (id),
    day           BIGINT   NOT NULL, -- days since 1970, UTC
    event         text_key NOT NULL,
    site_space_id text_key NOT NULL, -- empty: nowhere in particular
    space_id      text_key NOT NULL, -- that of the site space
    page_id       text_key NOT NULL, -- empty: no page
    detail        text_key NOT NULL, -- one of a few words, such as a rating
    events        BIGINT   NOT NULL, -- how many
    PRIMARY KEY (site_id, day, event, site_space_id, space_id, page_id, detail)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX site_events_day ON site_events (day);
