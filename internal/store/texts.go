package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/octavo-docs/octavo/internal/store/engine"
)

// EachText calls fn with every text of the database and with the bytes of every
// object, in no particular order. The bytes belong to fn only until it returns.
// Other columns of bytes, those of the search index, are left out.
func (r contentReads) EachText(ctx context.Context, fn func([]byte)) error {
	tables, err := r.Tables(ctx)
	if err != nil {
		return err
	}
	for _, t := range tables {
		if t.Name == "objects" {
			continue
		}
		if err := r.eachTextOf(ctx, t, fn); err != nil {
			return fmt.Errorf("read %s: %w", t.Name, err)
		}
	}
	var damage error
	err = engine.Each(ctx, r, scanObject, func(o storedObject) {
		data, err := o.bytes()
		if err != nil && damage == nil {
			damage = err
		}
		fn(data)
	}, `SELECT `+objectColumns+objectsFrom)
	if err != nil {
		return err
	}
	return damage
}

// eachTextOf calls fn with every text of a table.
func (r contentReads) eachTextOf(ctx context.Context, t engine.Table, fn func([]byte)) error {
	var names []string
	for _, c := range t.Columns {
		if isText(c) {
			names = append(names, c.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	values := make([][]byte, len(names))
	dest := make([]any, len(names))
	for i := range values {
		dest[i] = &values[i]
	}
	scan := func(s engine.Scanner) ([][]byte, error) { return values, s.Scan(dest...) }
	return engine.Each(ctx, r, scan, func(row [][]byte) {
		for _, v := range row {
			fn(v)
		}
	}, `SELECT `+strings.Join(names, ", ")+` FROM `+t.Name)
}

// isText reports whether a column has text: text_key is what TEXT is for keys.
func isText(c engine.Column) bool {
	return strings.Contains(strings.ToLower(c.Type), "text")
}
