package content

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"

	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/print/pdf"
)

// pdfMakers is the number of PDFs that are made at a time. One organization may make half of them, so
// there is always a place for another one. They take turns, and let each other have them between blocks.
var pdfMakers = int64(max(2, budget.Processors()/2))

// PDF writes a book to a temporary file, which the caller removes. The file is sent
// afterwards, so that a slow connection does not block other PDFs. The error is of the
// kind Busy if too many are being made, and Precondition if the book would be too long.
func (s *Service) PDF(ctx context.Context, v *revision.View, o BookOptions) (_ *os.File, hash blob.Hash, err error) {
	done, err := s.pdfs.Enter(ctx, string(v.Space.Org), 1)
	if err != nil {
		return nil, hash, err
	}
	defer done()
	if err := budget.Turn(ctx); err != nil {
		return nil, hash, err
	}
	defer budget.EndTurn(ctx)
	book, err := s.Book(ctx, v, o)
	if err != nil {
		return nil, hash, err
	}
	f, err := os.CreateTemp("", "octavo-*.pdf")
	if err != nil {
		return nil, hash, err
	}
	sum := sha256.New()
	err = pdf.Write(ctx, io.MultiWriter(f, sum), book)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		if errors.Is(err, pdf.ErrTooLong) {
			err = errs.E(errs.Precondition, "%s; use page to get a part of it", err)
		}
		return nil, hash, errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	copy(hash[:], sum.Sum(nil))
	return f, hash, nil
}
