// Package assets manages what an organization has besides content: uploaded files for
// later use, and the fonts of its sites.
//
// An upload consists of a key, which is valid for a day, and a blob. An object that is
// created from an upload references the blob itself, so that keys can be deleted.
//
// Where a change goes:
//   - uploads and custom fonts: this package; where sites serve the files in
//     site/publish/serve.go, the style in site/theme/fonts.go
package assets

import (
	"bufio"
	"context"
	"errors"
	"io"
	"time"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Limits of uploads.
const (
	UploadTime = 15 * time.Minute // time within which an announced file must be sent

	keepUpload = 24 * time.Hour // how long keys are valid
	maxUploads = 1000           // valid keys per organization
	maxFont    = 10 << 20       // bytes
	trimAtOnce = 1000           // keys deleted per transaction
)

// Service manages uploads and fonts.
type Service struct {
	Store *store.Store
	Blobs blob.Store
}

// Announce checks the properties of a file to be uploaded, and returns them with a new
// key. Nothing is stored before the file is sent.
func (s *Service) Announce(g *authz.Grant, u docs.Upload) (docs.Upload, error) {
	var err error
	if u.Name, err = docs.FileName("file.name", u.Name); err != nil {
		return u, err
	}
	switch {
	case u.Kind != docs.UploadFont:
		return u, errs.Field("kind", "must be %s: this server does not use other kinds. Files of a space are uploaded with its content, and folders imported with octavo import or from git", docs.UploadFont)
	case u.Size < 1 || u.Size > maxFont:
		return u, errs.Field("file.size", "must be from 1 to %d bytes", maxFont)
	}
	u.Key, u.Org, u.CreatedBy = docs.NewID[docs.UploadKey](s.Store.Clock()), g.Access.Org, g.Actor.User
	return u, nil
}

// Receive stores the content of an announced file. The error is NotFound if the user may
// no longer upload files, and Conflict if the file was already sent.
func (s *Service) Receive(ctx context.Context, by authz.Actor, u docs.Upload, r io.Reader) error {
	g, err := authz.OnBehalfInOrg(ctx, s.Store, by, authz.UploadFiles, u.Org)
	if authz.Denied(err) {
		return errs.Missing("organization")
	}
	if err != nil {
		return err
	}
	if _, err := s.Store.Upload(ctx, u.Org, u.Key); err == nil {
		return errs.E(errs.Conflict, "the file was uploaded already; ask for another address to upload a file again")
	} else if !errs.Is(err, errs.NotFound) {
		return err
	}
	if err := s.storeContent(ctx, &u, r); err != nil {
		return err
	}
	received := u
	received.CreatedBy = by.User
	return authz.Do(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) error {
		u := received
		n, err := tx.CountUploads(ctx, u.Org)
		if err == nil && n >= maxUploads {
			err = errs.E(errs.Precondition, "the organization has uploaded %d files in a day; try again tomorrow", maxUploads)
		}
		if err != nil {
			return err
		}
		u.CreatedAt = tx.Now()
		if err := tx.AddUpload(ctx, u); err != nil {
			return err
		}
		return audit.Record(ctx, tx, g.Actor, audit.Event{
			Org: u.Org, Action: "upload.create", Kind: "upload", ID: string(u.Key), Data: map[string]any{"name": u.Name, "kind": u.Kind, "size": u.Size},
		})
	})
}

// storeContent stores the content of a file, unless it differs from what was announced.
func (s *Service) storeContent(ctx context.Context, u *docs.Upload, r io.Reader) error {
	body := bufio.NewReader(&exactReader{r: r, size: u.Size, left: u.Size})
	head, _ := body.Peek(4) // the next read returns the error again
	format := blob.FontFormat(head)
	if u.Kind == docs.UploadFont && format == "" {
		return errs.Field("", "is not a font in the format WOFF2, WOFF, TrueType or OpenType")
	}
	info, kind, err := blob.Save(ctx, s.Blobs, u.Name, body)
	if err != nil {
		return err
	}
	u.ContentType, u.Blob = kind.ContentType, info.Hash.String()
	if u.Kind == docs.UploadFont {
		u.ContentType = docs.FontFace{Format: format}.ContentType()
	}
	return nil
}

// Tidy is a job handler that deletes the keys of old uploads.
func (s *Service) Tidy(ctx context.Context, _ []byte) error {
	for ctx.Err() == nil {
		n, err := store.InTx(ctx, s.Store, func(tx *store.Tx) (int64, error) {
			return tx.TrimUploads(ctx, tx.Now().Add(-keepUpload), trimAtOnce)
		})
		if err != nil || n == 0 {
			return err
		}
	}
	return ctx.Err()
}

// exactReader is a reader that fails unless the body has exactly the announced size.
type exactReader struct {
	r          io.Reader
	size, left int64
}

func (a *exactReader) Read(p []byte) (int, error) {
	// Read one byte more than is left, in order to detect a body that is too large.
	if int64(len(p)) > a.left+1 {
		p = p[:a.left+1]
	}
	n, err := a.r.Read(p)
	if int64(n) > a.left {
		return 0, errs.Field("", "is larger than the %d bytes that were announced", a.size)
	}
	a.left -= int64(n)
	if a.left > 0 && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)) {
		return n, errs.Field("", "ends %d bytes before the %d that were announced", a.left, a.size)
	}
	return n, err
}
