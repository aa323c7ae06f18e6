package revision

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
)

// Uses reports where files, reusable contents and OpenAPI specifications are used.
// Package index implements it.
type Uses interface {
	// Used reports whether something that the visitor of a view sees uses a
	// file or a reusable content of the space, or shows a specification.
	Used(ctx context.Context, v *View, ref docs.Ref) (bool, error)
}

// A visitor sees a file or a reusable content only if something that the visitor
// sees uses it. The methods of View check that. Those of Tree do not, because they
// resolve the references of documents that the visitor sees.

func (v *View) used(ctx context.Context, ref docs.Ref) (bool, error) {
	if v.visitor == nil {
		return true, nil
	}
	return v.src.s.Uses.Used(ctx, v, ref)
}

// File returns a file by id.
func (v *View) File(ctx context.Context, id docs.FileID) (docs.File, error) {
	f, err := v.Tree.File(ctx, id)
	if err != nil {
		return f, err
	}
	ok, err := v.used(ctx, docs.Ref{Kind: docs.RefFile, File: string(id)})
	if err == nil && !ok {
		err = errs.Missing("file")
	}
	return f, err
}

// filesAtATime is the number of files that are read at a time, to find those that
// a visitor sees.
const filesAtATime = 200

// Files is Tree.Files without the files that the visitor does not see.
func (v *View) Files(ctx context.Context, after docs.FileID, limit int) ([]docs.File, error) {
	if v.visitor == nil {
		return v.Tree.Files(ctx, after, limit)
	}
	out := []docs.File{}
	for {
		some, err := v.Tree.Files(ctx, after, filesAtATime)
		if err != nil {
			return nil, err
		}
		for _, f := range some {
			ok, err := v.used(ctx, docs.Ref{Kind: docs.RefFile, File: string(f.ID)})
			if err != nil {
				return nil, err
			}
			if ok {
				out = append(out, f)
			}
			if limit > 0 && len(out) == limit {
				return out, nil
			}
		}
		if len(some) < filesAtATime {
			return out, nil
		}
		after = some[len(some)-1].ID
	}
}

// CountFiles counts the files of a revision.
func (v *View) CountFiles(ctx context.Context) (int64, error) {
	if v.visitor != nil {
		files, err := v.Files(ctx, "", 0)
		return int64(len(files)), err
	}
	n, err := v.Count(ctx, KeyFile)
	return int64(n), err
}

// Reusable returns a reusable content by id.
func (v *View) Reusable(ctx context.Context, id docs.ReusableID) (docs.Reusable, error) {
	r, err := v.Tree.Reusable(ctx, id)
	if err != nil {
		return r, err
	}
	ok, err := v.used(ctx, docs.Ref{Kind: docs.RefReusable, ReusableContent: string(id)})
	if err == nil && !ok {
		err = errs.Missing("reusable content")
	}
	return r, err
}

// Reusables returns all reusable contents.
func (v *View) Reusables(ctx context.Context) ([]docs.Reusable, error) {
	all, err := v.Tree.Reusables(ctx)
	if err != nil || v.visitor == nil {
		return all, err
	}
	out := []docs.Reusable{}
	for _, r := range all {
		ok, err := v.used(ctx, docs.Ref{Kind: docs.RefReusable, ReusableContent: string(r.ID)})
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, r)
		}
	}
	return out, nil
}
