package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

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

// deltaBases are the bases of recent objects, by the hash of the object. Some
// may not be committed yet, or never: PutObjects looks whether they are stored.
type deltaBases = cache.Cache[chunk.Hash, deltaBase]

func newDeltaBases() *deltaBases {
	return cache.New[chunk.Hash](maxBases, func(b deltaBase) int { return len(b.data) + 128 })
}

// knownBases are objects of which is known that they are stored as they are and
// committed. They stay so: objects are never removed or stored anew.
type knownBases = cache.Cache[chunk.Hash, struct{}]

// maxKnownBases bounds the bytes of their hashes.
const maxKnownBases = 4 << 20

func newKnownBases() *knownBases {
	return cache.New[chunk.Hash](maxKnownBases, func(struct{}) int { return 256 })
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

// NewObjects are objects as they will be stored. They are made by
// PrepareObjects, outside of the transaction that stores them.
type NewObjects []newObject

type newObject struct {
	hash  chunk.Hash
	whole []byte
	// base is the object that delta is made from; empty where the object is
	// stored as it is.
	base  chunk.Hash
	delta []byte
}

// data returns what is stored.
func (o newObject) data() []byte {
	if o.base == "" {
		return o.whole
	}
	return o.delta
}

// Size returns how many bytes they will take.
func (n NewObjects) Size() (sum int64) {
	for _, o := range n {
		sum += int64(len(o.data()))
	}
	return sum
}

// And returns these objects and others.
func (n NewObjects) And(others NewObjects) NewObjects { return slices.Concat(n, others) }

// PrepareObjects works out how objects will be stored.
func (s *Store) PrepareObjects(ctx context.Context, all []Object) (NewObjects, error) {
	out := make(NewObjects, len(all))
	for i, o := range all {
		out[i] = newObject{hash: o.Hash, whole: o.Data}
		base, err := s.deltaBase(ctx, o)
		if err != nil {
			return out, err
		}
		if base.hash == "" {
			continue
		}
		next := deltaBase{o.Hash, o.Data}
		if delta := chunk.Delta(base.data, o.Data); len(delta) <= len(o.Data)/deltaShare {
			out[i].base, out[i].delta = base.hash, delta
			next = base
		}
		s.bases.Delete(o.Base) // the next edit starts from o
		s.bases.Set(o.Hash, next)
	}
	return out, nil
}

// deltaBase returns what a delta of an object is made from; without a hash if
// there is nothing suitable.
func (s *Store) deltaBase(ctx context.Context, o Object) (deltaBase, error) {
	if o.Base == "" || o.Base == o.Hash || len(o.Data) < minDelta {
		return deltaBase{}, nil
	}
	base, ok := s.bases.Get(o.Base)
	if !ok {
		similar, err := s.storedObject(ctx, o.Base)
		switch {
		case errs.Is(err, errs.NotFound):
			return deltaBase{}, nil // it is being stored too
		case err != nil:
			return deltaBase{}, err
		case similar.base == "":
			base = deltaBase{similar.hash, similar.data}
		default:
			base = deltaBase{similar.base, similar.baseData}
		}
		s.known.Set(base.hash, struct{}{})
	}
	if len(o.Data)-len(base.data) > len(o.Data)/deltaShare {
		return deltaBase{}, nil // the delta would be too long
	}
	return base, nil
}

// PutObjects stores objects. Those that exist already stay as they are. Where the
// base of a delta is not stored as it is, the data is stored instead: the base may
// belong to a transaction that failed.
func (tx *Tx) PutObjects(ctx context.Context, n NewObjects) error {
	bases, err := tx.storedBases(ctx, n)
	if err != nil {
		return err
	}
	stored, err := insertNew(ctx, tx, `INSERT INTO objects (hash, data, base)`, `ON CONFLICT (hash) DO NOTHING`, n,
		func(o newObject) []any {
			if !bases[o.base] {
				o.base = ""
			}
			return []any{o.hash, o.data(), o.base}
		})
	if err == nil && stored == int64(len(n)) { // else one of them may have been stored as a delta before
		tx.OnCommit(func() {
			for _, o := range n {
				if o.base == "" && len(o.whole) >= minDelta {
					tx.known.Set(o.hash, struct{}{})
				}
			}
		})
	}
	return err
}

// storedBases reports which bases of objects are stored as they are.
func (tx *Tx) storedBases(ctx context.Context, n NewObjects) (map[chunk.Hash]bool, error) {
	stored := map[chunk.Hash]bool{}
	var unknown []chunk.Hash
	for _, o := range n {
		if _, asked := stored[o.base]; o.base == "" || asked {
			continue
		}
		if _, stored[o.base] = tx.known.Get(o.base); !stored[o.base] {
			unknown = append(unknown, o.base)
		}
	}
	for some := range slices.Chunk(unknown, 512) {
		var args []any
		in := listOf(&args, some)
		found, err := many(ctx, tx.Reader, scanText[chunk.Hash],
			`SELECT hash FROM objects WHERE base = '' AND hash IN `+in, args...)
		if err != nil {
			return nil, err
		}
		for _, h := range found {
			stored[h] = true
		}
		// Before that, a base may be one of a transaction that is not committed yet either.
		tx.OnCommit(func() {
			for _, h := range found {
				tx.known.Set(h, struct{}{})
			}
		})
	}
	return stored, nil
}
