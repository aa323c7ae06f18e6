-- An object that an edit replaces by a similar one is stored as what differs.
-- The base is stored as it is: no delta is made from a delta.
ALTER TABLE objects ADD COLUMN base text_key NOT NULL DEFAULT ''; -- object that data is a delta from; empty: data is the object
