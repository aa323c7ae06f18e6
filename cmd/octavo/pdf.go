package main

import (
	"context"
	"fmt"
	"io"

	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/print/pdf"
	"github.com/octavo-docs/octavo/internal/print/typeface"
	"github.com/octavo-docs/octavo/internal/web/services"
)

// pdfFlag is the flag of all commands that create PDFs.
type pdfFlag struct {
	PDFFont []string `help:"Font file for characters that the bundled fonts lack in PDFs, such as Chinese ones; again for more. What it lacks is taken from installed fonts." name:"pdf-font" env:"OCTAVO_PDF_FONT" placeholder:"FILE" type:"path"`
}

// fonts opens the font files.
func (f pdfFlag) fonts() (*typeface.Fonts, error) {
	out, err := typeface.Open(f.PDFFont, true)
	if err != nil {
		return nil, fmt.Errorf("--pdf-font: %w", err)
	}
	return out, nil
}

// writePDF writes the newest revision of a space as a PDF. The file appears only after it
// is complete.
func (c *exportCmd) writePDF(ctx context.Context, s streams, sv *services.Services, sp docs.Space) (err error) {
	v, err := sv.Content.Source.Head(ctx, sp)
	if err != nil {
		return err
	}
	book, err := sv.Content.Book(ctx, v, content.BookOptions{Members: true})
	if err != nil {
		return err
	}
	if err := replaceFile(c.PDF, func(w io.Writer) error { return pdf.Write(ctx, w, book) }); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "wrote revision %s to %s\n", v.Rev.ID, c.PDF)
	return err
}
