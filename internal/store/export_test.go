package store

import "context"

// ObjectBytes returns the size of all objects as they are stored.
func ObjectBytes(ctx context.Context, s *Store) (int, error) {
	n, err := one(ctx, s.Reader, "size", scanInt, `SELECT COALESCE(SUM(LENGTH(data)), 0) FROM objects`)
	return int(n), err
}

// Damage runs a statement.
func Damage(ctx context.Context, s *Store, statement string) error {
	return s.Do(ctx, func(tx *Tx) error { return tx.put(ctx, statement) })
}

// SearchBytes returns the size of the text of a layer as it is stored.
func SearchBytes(ctx context.Context, s *Store, layer string) (int, error) {
	n, err := one(ctx, s.Reader, "size", scanInt, `SELECT SUM(LENGTH(sections) + LENGTH(source) + LENGTH(delta)) FROM search_pages WHERE layer_id = $1`, layer)
	return int(n), err
}
