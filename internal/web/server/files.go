package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Files configures where the contents of files are stored: in a folder or in a bucket.
type Files struct {
	Folder string
	S3     blob.S3 // used if it has a bucket
}

// String names the place for messages.
func (f Files) String() string {
	switch prefix := strings.Trim(f.S3.Prefix, "/"); {
	case f.S3.Bucket != "" && prefix != "":
		return fmt.Sprintf("the folder %s of the bucket %s at %s", prefix, f.S3.Bucket, f.S3.Endpoint)
	case f.S3.Bucket != "":
		return fmt.Sprintf("the bucket %s at %s", f.S3.Bucket, f.S3.Endpoint)
	}
	return "the folder " + f.Folder
}

// everywhere names the place for readers of messages on other machines.
func (f Files) everywhere() string {
	if f.S3.Bucket != "" {
		return f.String()
	}
	if path, err := filepath.Abs(f.Folder); err == nil {
		f.Folder = path
	}
	if host, err := os.Hostname(); err == nil {
		return f.String() + " of the host " + host
	}
	return f.String()
}

// FilesPath returns the path of the files of a data folder.
func FilesPath(dir string) string { return filepath.Join(dir, "files") }

// Open returns the store of the folder or of the bucket, whatever it has.
func (f Files) Open(ctx context.Context) (blob.Store, error) {
	if f.S3.Bucket != "" {
		return blob.OpenBucket(ctx, f.S3, 0)
	}
	return blob.OpenFolder(f.Folder, 0)
}

// OpenFor returns the store with the files of a database. If the database does not know
// where its files are, it knows it afterwards. If they are somewhere else, the error says
// what to do.
func (f Files) OpenFor(ctx context.Context, st *store.Store) (blob.Store, error) {
	s, err := f.Open(ctx)
	if err != nil {
		return nil, err
	}
	known, err := KnownPlace(ctx, st)
	if err == nil && known.Mark == "" {
		known, err = f.begin(ctx, st, s)
	}
	if err != nil {
		return nil, err
	}
	return s, f.check(ctx, s, known)
}

// OpenToRead is OpenFor for a database that may have the schema of an older version. It
// changes neither the database nor the store.
func (f Files) OpenToRead(ctx context.Context, st *store.Store) (blob.Store, error) {
	s, err := f.Open(ctx)
	if err != nil {
		return nil, err
	}
	known, err := KnownPlace(ctx, st)
	switch current, cerr := st.Current(ctx); {
	case err != nil || cerr != nil:
		return nil, errors.Join(err, cerr)
	case known.Mark != "":
		return s, f.check(ctx, s, known)
	case current:
		return s, f.checkUnknown(ctx, st, s)
	}
	return s, nil
}

// KnownPlace returns where the files of a database are, as far as it knows: it may have the
// schema of an older version. The mark is empty if it does not know.
func KnownPlace(ctx context.Context, st *store.Store) (store.FilePlace, error) {
	if current, err := st.Current(ctx); err != nil || !current {
		return store.FilePlace{}, err
	}
	known, err := st.FilePlace(ctx)
	if errs.Is(err, errs.NotFound) {
		return store.FilePlace{}, nil
	}
	return known, err
}

// begin makes this the place of the files, unless another node was faster. The mark is
// written before the database knows it. After a crash between the two it is the mark of no
// database; in the other order, the database would find its files nowhere.
func (f Files) begin(ctx context.Context, st *store.Store, s blob.Store) (store.FilePlace, error) {
	if err := f.checkUnknown(ctx, st, s); err != nil {
		return store.FilePlace{}, err
	}
	mine := store.FilePlace{Mark: blob.NewMark(), Place: f.everywhere()}
	if err := s.SetMark(ctx, mine.Mark); err != nil {
		return mine, err
	}
	known, err := store.InTx(ctx, st, func(tx *store.Tx) (store.FilePlace, error) { return tx.AddFilePlace(ctx, mine) })
	if err == nil && known.Mark != mine.Mark {
		_ = s.RemoveMark(ctx, mine.Mark) // a mark of no database does no harm
	}
	return known, err
}

// Adopt makes this the place of the files, wherever they were. Nodes that look elsewhere do
// not start any more.
func (f Files) Adopt(ctx context.Context, st *store.Store, s blob.Store) error {
	p := store.FilePlace{Mark: blob.NewMark(), Place: f.everywhere()}
	if err := s.SetMark(ctx, p.Mark); err != nil {
		return err
	}
	return st.Do(ctx, func(tx *store.Tx) error {
		if err := tx.SetFilePlace(ctx, p); err != nil {
			return err
		}
		return audit.Record(ctx, tx, authz.AtCommandLine(authz.System.User), audit.Event{
			Action: "instance.files", Kind: "instance", Data: map[string]any{"place": p.Place},
		})
	})
}

// check returns an error unless the store has the mark that the database knows.
func (f Files) check(ctx context.Context, s blob.Store, known store.FilePlace) error {
	has, err := s.HasMark(ctx, known.Mark)
	if err == nil && !has {
		err = f.Elsewhere(known)
	}
	return err
}

// checkUnknown returns an error if the database does not know where its files are, and they
// cannot be in the store, because it is empty.
func (f Files) checkUnknown(ctx context.Context, st *store.Store, s blob.Store) error {
	has, err := st.HasFiles(ctx)
	if err != nil || !has {
		return err
	}
	empty, err := blob.Empty(ctx, s)
	if err == nil && empty {
		err = fmt.Errorf("%s is empty, and this database has files. %s", f, f.advice())
	}
	return err
}

// Elsewhere is the error of a place that lacks the mark that the database knows.
func (f Files) Elsewhere(known store.FilePlace) error {
	return fmt.Errorf("%s does not have the files of this database: the mark %s is missing, which they got on %s in %s. %s",
		f, known.Mark, known.CreatedAt, known.Place, f.advice())
}

// advice says what to do if files are not found.
func (f Files) advice() string {
	where := "Mount the folder with the files there, name the data folder that has them with --data, or give the flags of their bucket (--s3-bucket and others)."
	if f.S3.Bucket != "" {
		where = "Give the bucket that the other nodes use (--s3-endpoint, --s3-bucket, --s3-prefix), or none if the files are in the data folder (--data)."
	}
	return where + " If they were copied to this place, copy the folder marks too. If they are gone, or marks is, octavo files adopt makes this their place"
}
