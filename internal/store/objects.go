package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/octavo-docs/octavo/internal/cache"
	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

// Object is a piece of content with its hash.
type Object struct {
	Hash chunk.Hash
	Data []byte
	// Base is a similar object, such as the one that this object replaces;
	// empty if there is none. It is only used to store fewer bytes.
	Base chunk.Hash
}

// An edit replaces objects by similar ones: the source of the page and a node of
// each level of the tree. So a new object is stored as a delta if that is much
// shorter. The base of a delta is never a delta itself, so reading an object reads at
// most two rows.
const (
	// minDelta is the size of data from which a delta is worth reading a second row.
	minDelta = 192
	// deltaShare is the maximum size of a delta, as a fraction of the data: an
	// eighth. Deltas from the same base get longer with every edit of the same
	// node; above that, storing the whole data costs less in the long run.
	deltaShare = 8
	// maxBases is the maximum size of the cache of recent bases, in bytes.
	maxBases = 8 << 20
)

// deltaBase is an object that is stored whole, not as a delta.
type deltaBase struct {
	hash chunk.Hash
	data []byte
}

// deltaBases holds the bases of recent objects, by the hash of the object. Some may
// never be committed: PutObjects checks that they are stored.
type deltaBases = cache.Cache[chunk.Hash, deltaBase]

func newDeltaBases() *deltaBases {
	return cache.New[chunk.Hash](maxBases, func(b deltaBase) int { return len(b.data) + 128 })
}

// knownBases holds the hashes of objects that are stored whole and committed. They
// stay so: objects are never deleted or stored again.
type knownBases = cache.Cache[chunk.Hash, struct{}]

// maxKnownBases is the maximum size of knownBases, in bytes.
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

func scanObject(s engine.Scanner) (o storedObject, err error) {
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

func (r contentReads) storedObject(ctx context.Context, h chunk.Hash) (storedObject, error) {
	return engine.One(ctx, r, "object", scanObject, `SELECT `+objectColumns+objectsFrom+` WHERE o.hash = $1`, h)
}

// Object returns the bytes of an object.
func (r contentReads) Object(ctx context.Context, h chunk.Hash) ([]byte, error) {
	o, err := r.storedObject(ctx, h)
	if err != nil {
		return nil, err
	}
	return o.bytes()
}

// CheckObjects reads every object and compares it with its hash.
func (r contentReads) CheckObjects(ctx context.Context) error {
	var damage error
	err := engine.Each(ctx, r, scanObject, func(o storedObject) {
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
	// base is the object that delta is made from; empty if the object is stored
	// whole.
	base  chunk.Hash
	delta []byte
}

// data returns the stored bytes: the delta or the whole data.
func (o newObject) data() []byte {
	if o.base == "" {
		return o.whole
	}
	return o.delta
}

// Size returns the number of bytes that the objects will take.
func (n NewObjects) Size() (sum int64) {
	for _, o := range n {
		sum += int64(len(o.data()))
	}
	return sum
}

// And returns these objects and others.
func (n NewObjects) And(others NewObjects) NewObjects { return slices.Concat(n, others) }

// PrepareObjects decides how objects will be stored, and makes deltas.
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

// deltaBase returns the base for a delta of an object, without a hash if there is no
// suitable one.
func (s *Store) deltaBase(ctx context.Context, o Object) (deltaBase, error) {
	if o.Base == "" || o.Base == o.Hash || len(o.Data) < minDelta {
		return deltaBase{}, nil
	}
	base, ok := s.bases.Get(o.Base)
	if !ok {
		similar, err := s.storedObject(ctx, o.Base)
		switch {
		case errs.Is(err, errs.NotFound):
			return deltaBase{}, nil // the base is not stored yet
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

// PutObjects stores objects that do not exist yet. If the base of a delta is not
// stored whole, the data is stored instead of the delta: the base may belong to a
// transaction that failed.
func (tx contentWrites) PutObjects(ctx context.Context, n NewObjects) error {
	bases, err := tx.storedBases(ctx, n)
	if err != nil {
		return err
	}
	stored, err := engine.InsertNew(ctx, tx, `INSERT INTO objects (hash, data, base)`, `ON CONFLICT (hash) DO NOTHING`, n,
		func(o newObject) []any {
			if !bases[o.base] {
				o.base = ""
			}
			return []any{o.hash, o.data(), o.base}
		})
	if err == nil && stored == int64(len(n)) { // otherwise an existing object may be a delta
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

// storedBases returns the bases of objects that are stored whole.
func (tx contentWrites) storedBases(ctx context.Context, n NewObjects) (map[chunk.Hash]bool, error) {
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
		in := engine.ListOf(&args, some)
		found, err := engine.Many(ctx, tx, engine.ScanText[chunk.Hash],
			`SELECT hash FROM objects WHERE base = '' AND hash IN `+in, args...)
		if err != nil {
			return nil, err
		}
		for _, h := range found {
			stored[h] = true
		}
		// Only after the commit: before, a base may belong to an uncommitted transaction.
		tx.OnCommit(func() {
			for _, h := range found {
				tx.known.Set(h, struct{}{})
			}
		})
	}
	return stored, nil
}
