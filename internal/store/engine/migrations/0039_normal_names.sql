-- What lists search for is in one normal form, as what people type is brought into it.

UPDATE teams SET search = normalize(search) WHERE search <> normalize(search);
UPDATE users SET search = normalize(search) WHERE search <> normalize(search);
UPDATE sites SET search = normalize(search) WHERE search <> normalize(search);
UPDATE site_share_links SET search = normalize(search) WHERE search <> normalize(search);
