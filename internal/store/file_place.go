package store

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

// filePlaces is the table of FilePlace. It belongs to a database and to no backup of it.
const filePlaces = "file_place"

// FilePlace says where the contents of the files of a database are.
type FilePlace struct {
	Mark      string    // name of the mark that the place has
	Place     string    // where it was when it got the mark, for messages
	CreatedAt docs.Time // when it got the mark
}

// FilePlace returns where the contents of files are. It is errs.NotFound before the place
// has its mark.
func (r serverReads) FilePlace(ctx context.Context) (FilePlace, error) {
	return engine.One(ctx, r, "place of files", func(s engine.Scanner) (p FilePlace, err error) {
		err = s.Scan(&p.Mark, &p.Place, &p.CreatedAt)
		return p, err
	}, `SELECT mark, place, created_at FROM file_place`)
}

// HasFiles reports whether a revision has a file. It may miss files of spaces that an older
// version made and that are not counted yet.
func (r serverReads) HasFiles(ctx context.Context) (bool, error) {
	n, err := engine.One(ctx, r, "files", engine.ScanInt, `SELECT COUNT(*) FROM (SELECT 1 FROM spaces WHERE file_bytes > 0 LIMIT 1) AS found`)
	return n > 0, err
}

// AddFilePlace stores where the contents of files are, unless that is stored already. It
// returns what is stored: of several nodes that call it at once, one decides.
func (tx serverWrites) AddFilePlace(ctx context.Context, p FilePlace) (FilePlace, error) {
	if err := engine.Put(ctx, tx, `INSERT INTO file_place (id, mark, place, created_at) VALUES (1, $1, $2, $3) ON CONFLICT (id) DO NOTHING`, p.Mark, p.Place, tx.Now()); err != nil {
		return FilePlace{}, err
	}
	return tx.FilePlace(ctx)
}

// SetFilePlace replaces where the contents of files are.
func (tx serverWrites) SetFilePlace(ctx context.Context, p FilePlace) error {
	return engine.Put(ctx, tx, `
		INSERT INTO file_place (id, mark, place, created_at) VALUES (1, $1, $2, $3)
		ON CONFLICT (id) DO UPDATE SET mark = excluded.mark, place = excluded.place, created_at = excluded.created_at`, p.Mark, p.Place, tx.Now())
}
