package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/octavo-docs/octavo/internal/cache"
	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/errs"
)

// Object is a piece of content under its hash.
type Object struct {
	Hash chunk.Hash
	Data []byte
	// Base is an object that is similar, such as the one that this object
	// takes the place of; empty if there is none. It saves bytes and changes
	// nothing else.
	Base chunk.Hash
}

// An edit replaces objects that are almost the same: the source of the page
// and a node of each level of the tree. So a new object is stored as a delta
// where that is much shorter. A delta is always made from an object that is
// stored as it is, so reading an object reads two rows at most.
const (
	// minDelta is the size from which a delta is worth a second row.
	minDelta = 192
	// deltaShare is the part of the data that a delta may have. With every
	// edit of the same node the delta from the same base gets longer; at an
	// eighth, storing the data once again costs less in the long run.
	deltaShare = 8
	// maxBases bounds the bytes of recent bases that stay in memory.
	maxBases = 8 << 20
)

// deltaBase is an object that is stored as it is.
type deltaBase struct {
	hash chunk.Hash
	data []byte
}

// deltaBases are the bases of recent objects, by the hash of the object. They
// are committed: a base that is not would make the deltas from it unreadable.
type deltaBases = cache.Cache[chunk.Hash, deltaBase]

func newDeltaBases() *deltaBases {
	return cache.New[chunk.Hash](maxBases, func(b deltaBase) int { return len(b.data) + 128 })
}

// storedObject is the row of an object with that of its base.
type storedObject struct {
	hash     chunk.Hash
	data     []byte // a delta if there is a base
	base     chunk.Hash
	baseData []byte
}

const (
	objectColumns = `o.hash, o.data, o.base, b.data`
	objectsFrom   = ` FROM objects o LEFT JOIN objects b ON o.base <> '' AND b.hash = o.base AND b.base = ''`
)

func scanObject(s scanner) (o storedObject, err error) {
	err = s.Scan(&o.hash, &o.data, &o.base, &o.baseData)
	return o, err
}

var errObject = errors.New("the bytes of an object do not fit its hash")

// bytes returns the data of the object.
func (o storedObject) bytes() ([]byte, error) {
	if o.base == "" {
		return o.data, nil
	}
	data, err := chunk.Patch(o.baseData, o.data)
	if err == nil && chunk.Sum(data) != o.hash {
		err = errObject
	}
	if err != nil {
		return nil, fmt.Errorf("object %s, a delta from %s: %w", o.hash, o.base, err)
	}
	return data, nil
}

func (r Reader) storedObject(ctx context.Context, h chunk.Hash) (storedObject, error) {
	return one(ctx, r, "object", scanObject, `SELECT `+objectColumns+objectsFrom+` WHERE o.hash = $1`, h)
}

// Object returns the bytes of an object.
func (r Reader) Object(ctx context.Context, h chunk.Hash) ([]byte, error) {
	o, err := r.storedObject(ctx, h)
	if err != nil {
		return nil, err
	}
	return o.bytes()
}

// CheckObjects reads every object and compares it with its hash.
func (r Reader) CheckObjects(ctx context.Context) error {
	var damage error
	err := each(ctx, r, scanObject, func(o storedObject) {
		data, err := o.bytes()
		if err == nil && chunk.Sum(data) != o.hash {
			err = fmt.Errorf("object %s: %w", o.hash, errObject)
		}
		if damage == nil {
			damage = err
		}
	}, `SELECT `+objectColumns+objectsFrom)
	return errors.Join(err, damage)
}

// PutObjects stores objects. Those that exist already stay as they are.
func (tx *Tx) PutObjects(ctx context.Context, all []Object) error {
	rows := make([]storedObject, len(all))
	bases := map[chunk.Hash]deltaBase{} // of objects, by their hash
	for i, o := range all {
		rows[i] = storedObject{hash: o.Hash, data: o.Data}
		base, err := tx.deltaBase(ctx, o)
		if err != nil {
			return err
		}
		if base.hash == "" {
			continue
		}
		bases[o.Hash] = deltaBase{o.Hash, o.Data}
		if delta := chunk.Delta(base.data, o.Data); len(delta) <= len(o.Data)/deltaShare {
			rows[i].data, rows[i].base = delta, base.hash
			bases[o.Hash] = base
		}
	}
	added, err := insertCounted(ctx, tx, `INSERT INTO objects (hash, data, base)`, `ON CONFLICT (hash) DO NOTHING`, rows,
		func(o storedObject) []any { return []any{o.hash, o.data, o.base} })
	if err != nil || len(bases) == 0 || added < int64(len(rows)) {
		return err // one of them exists already, perhaps with another base
	}
	tx.OnCommit(func() {
		for _, o := range all {
			if base, ok := bases[o.Hash]; ok {
				tx.bases.Delete(o.Base) // the next edit starts from o
				tx.bases.Set(o.Hash, base)
			}
		}
	})
	return nil
}

// deltaBase returns what a delta of an object is made from; without a hash if
// there is nothing suitable.
func (tx *Tx) deltaBase(ctx context.Context, o Object) (deltaBase, error) {
	if o.Base == "" || o.Base == o.Hash || len(o.Data) < minDelta {
		return deltaBase{}, nil
	}
	base, ok := tx.bases.Get(o.Base)
	if !ok {
		similar, err := tx.storedObject(ctx, o.Base)
		switch {
		case errs.Is(err, errs.NotFound):
			return deltaBase{}, nil // part of the same transaction
		case err != nil:
			return deltaBase{}, err
		case similar.base == "":
			base = deltaBase{similar.hash, similar.data}
		default:
			base = deltaBase{similar.base, similar.baseData}
		}
	}
	if len(o.Data)-len(base.data) > len(o.Data)/deltaShare {
		return deltaBase{}, nil // the delta would be too long
	}
	return base, nil
}
