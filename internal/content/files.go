package content

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/outbound"
)

// NewFile is a file that a batch inserts: by address, or in base64.
type NewFile struct {
	Name        string
	Ref         string
	ContentType string
	URL         string
	Base64      string
}

// Limits of files.
const (
	MaxBase64  = 1 << 20  // bytes of a file in a batch
	MaxFetched = 50 << 20 // bytes of a file by address
	// MaxBatchFetched is the maximum size of all files of a batch together, in bytes.
	MaxBatchFetched = 250 << 20

	fetchTime = 60 * time.Second
)

// withoutBytes checks the files of each change and returns them with names and types only.
func withoutBytes(changes []Change) ([][]docs.File, error) {
	out := make([][]docs.File, len(changes))
	for i, c := range changes {
		if c.Operation != InsertFiles {
			continue
		}
		for j, f := range c.Files {
			at := fmt.Sprintf("changes[%d].files[%d]", i, j)
			name, err := docs.FileName(at+".name", f.Name)
			switch {
			case err != nil:
				return nil, err
			case (f.URL == "") == (f.Base64 == ""):
				return nil, errs.Field(at, "needs either url or base64")
			case f.Base64 != "" && f.ContentType == "":
				return nil, errs.Field(at+".contentType", "is required with base64")
			case base64.RawStdEncoding.DecodedLen(len(strings.TrimRight(f.Base64, "="))) > MaxBase64:
				return nil, errs.Field(at+".base64", "is larger than %d MB; send it as a url, or upload it", MaxBase64>>20)
			}
			if f.URL != "" {
				if _, err := outbound.CheckURL(f.URL); err != nil {
					return nil, notFetched(at+".url", err)
				}
			}
			out[i] = append(out[i], docs.File{Name: name, ContentType: f.ContentType})
		}
	}
	return out, nil
}

// fetch downloads all files of a batch, stores them in the blob store and completes the files of
// each change. It stores nothing before all downloads have succeeded.
func (s *Service) fetch(ctx context.Context, changes []Change, files [][]docs.File) (err error) {
	dir, err := os.MkdirTemp("", "octavo-fetch-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	left := int64(MaxBatchFetched)
	each := func(fn func(f NewFile, at string, got *docs.File) error) error {
		for i, list := range files {
			for j := range list {
				if err := fn(changes[i].Files[j], fmt.Sprintf("changes[%d].files[%d]", i, j), &list[j]); err != nil {
					return err
				}
			}
		}
		return nil
	}
	err = each(func(f NewFile, at string, got *docs.File) error {
		size, err := s.download(ctx, filepath.Join(dir, at), at, f, left)
		left -= size
		return err
	})
	if err != nil {
		return err
	}
	return each(func(_ NewFile, at string, got *docs.File) error {
		f, err := os.Open(filepath.Join(dir, at))
		if err != nil {
			return err
		}
		defer f.Close()
		*got, err = s.Exchange.StoreFile(ctx, got.Name, f)
		return err
	})
}

// download writes the bytes of a file of a batch to a path. It fails if there are more than most.
func (s *Service) download(ctx context.Context, path, at string, f NewFile, most int64) (_ int64, err error) {
	var from io.Reader
	if f.Base64 != "" {
		b, err := base64.StdEncoding.DecodeString(f.Base64)
		if err != nil {
			return 0, errs.Field(at+".base64", "is not base64")
		}
		from = bytes.NewReader(b)
	} else {
		if most <= 0 {
			return 0, errs.Field("changes", "bring more than %d MB of files together; send them in several batches", MaxBatchFetched>>20)
		}
		got, err := s.Outbound.Fetch(ctx, f.URL, outbound.Limits{MaxBytes: min(most, MaxFetched), Timeout: fetchTime})
		if err != nil {
			return 0, notFetched(at+".url", err)
		}
		defer got.Body.Close()
		from = got.Body
	}
	to, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(to, from)
	if err != nil {
		err = notFetched(at+".url", err)
	}
	return n, errors.Join(err, to.Close())
}

// notFetched returns the error for a file that cannot be fetched. The cause may
// contain an address of the operator's network, so it is for the log only.
func notFetched(at string, err error) error {
	var known *errs.Error
	if !errors.As(err, &known) {
		return err // the caller has gone
	}
	out := errs.Field(at, "%s", known.Message)
	out.Err = known.Err
	return out
}

func insertFiles(ctx context.Context, d *revision.Draft, at string, c Change, files []docs.File) ([]docs.File, error) {
	if len(c.Files) == 0 || len(c.Files) > MaxFiles {
		return nil, errs.Field(errs.In(at, "files"), "must be a list of 1 to %d files", MaxFiles)
	}
	out := make([]docs.File, 0, len(files))
	for i, f := range files {
		f.ID = docs.FileID(d.NewID())
		var err error
		if f.Path, err = d.AssetPath(ctx, f.Name); err != nil {
			return nil, err
		}
		ref := markup.Ref{Kind: markup.RefFile, File: string(f.ID)}
		if err := nameInBatch(ctx, d, errs.In(at, fmt.Sprintf("files[%d]", i)), c.Files[i].Ref, ref); err != nil {
			return nil, err
		}
		if err := d.PutFile(f); err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// Upload adds a file to a space that is edited live, or to a change request.
func (s *Service) Upload(ctx context.Context, g *authz.Grant, on LineName, name string, r io.Reader) (docs.File, error) {
	name, err := docs.FileName("file", name)
	if err != nil {
		return docs.File{}, err
	}
	// Checked before the bytes are read, and again in the transaction.
	if _, err := readHeads(ctx, s.Store.Reader, g.Space, on, ""); err != nil {
		return docs.File{}, err
	}
	f, err := s.Exchange.StoreFile(ctx, name, r)
	if err != nil {
		return docs.File{}, err
	}
	out, err := s.write(ctx, g, edit{on: on, work: upload{f}})
	if err != nil {
		return f, err
	}
	return out.applied.Files[0], nil
}

// upload is the work of Upload.
type upload struct{ file docs.File }

func (upload) plan(h Heads) plan { return planEdit(h, docs.Revision{Type: docs.RevisionEdits}) }

func (u upload) draft(ctx context.Context, s *Service, _ *authz.Grant, h Heads) (*drafted, error) {
	v, err := h.view(ctx, s, h.head())
	if err != nil {
		return nil, err
	}
	d := s.draft(v)
	added, err := insertFiles(ctx, d, "", Change{Files: []NewFile{{Name: u.file.Name}}}, []docs.File{u.file})
	return &drafted{Draft: d, applied: &Applied{Files: added}}, err
}
