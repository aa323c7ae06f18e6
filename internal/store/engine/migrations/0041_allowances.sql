-- How often users and organizations did lately what they may do only so often in 24 hours, by hour.

CREATE TABLE allowances (
    who   text_key NOT NULL, -- id of a user or an organization
    what  text_key NOT NULL,
    hour  BIGINT   NOT NULL, -- since 1970
    times BIGINT   NOT NULL,
    PRIMARY KEY (who, what, hour)
) /*sqlite: WITHOUT ROWID */;
CREATE INDEX allowances_hour ON allowances (hour);
