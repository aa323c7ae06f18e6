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
