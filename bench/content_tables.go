package main

import (
	"context"
	"database/sql"
	"maps"
	"slices"
)

// tableBytes returns the size of each table and each index in bytes. It counts whole
// pages, including their free space.
func tableBytes(ctx context.Context, db *sql.DB) (map[string]int64, error) {
	rows, err := db.QueryContext(ctx, `SELECT name, SUM(pgsize) FROM dbstat GROUP BY name`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[string]int64{}
	for rows.Next() {
		var name string
		var size int64
		if err := rows.Scan(&name, &size); err != nil {
			return nil, err
		}
		out[name] = size
	}
	return out, rows.Err()
}

// noteTables records the growth of tables and indexes per edit.
func (b *contentServer) noteTables(before, after map[string]int64) {
	const least = 32 // minimum bytes per edit for a line
	grown := map[string]int64{}
	for name, size := range after {
		if n := (size - before[name]) / countedEdits; n >= least || n <= -least {
			grown[name] = n
		}
	}
	for _, name := range slices.Sorted(maps.Keys(grown)) {
		b.cost("  in "+name, 0, float64(grown[name]))
	}
}
