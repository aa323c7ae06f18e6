package content

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

const (
	// pdfRoute is the route of PDFs. An address is valid for an hour, and always refers
	// to the revision that was the newest when it was requested.
	pdfRoute  = "GET /pdf/{spaceId}/{revisionId}/{name}"
	pdfExpiry = time.Hour
	pdfType   = "application/pdf"
)

func (h *handlers) pdf() {
	const tag = "Content"
	const about = "The address works for one hour, without a token, as long as you can see the space; the PDF is made when it is fetched, of the revision that is the newest now. " +
		"With page, of that page and those below it; with only too, of that page alone. Pages that are hidden or have a condition are left out, unless named by page."
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getSpacePDF", Route: "GET /spaces/{spaceId}/pdf", Tag: tag, Allow: authz.Space(authz.ViewSpace),
		Summary: "Get an address from which a space can be downloaded as a PDF.", About: about,
	}, func(ctx context.Context, in *pdfIn) (*kernel.Out[pdfAddress], error) {
		return h.pdfOut(ctx, h.Head, in.PDFOptions)
	})
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getChangeRequestPDF", Route: "GET /spaces/{spaceId}/change-requests/{changeRequestId}/pdf", Tag: tag, Allow: authz.Space(authz.ViewSpace),
		Summary: "Get an address from which a change request can be downloaded as a PDF.", About: about,
	}, func(ctx context.Context, in *requestPDFIn) (*kernel.Out[pdfAddress], error) {
		return h.pdfOut(ctx, h.request(in.Request), in.PDFOptions)
	})
	kernel.RegisterStream(h.Kernel, kernel.Op{
		ID: "downloadPDF", Route: pdfRoute, Tag: tag, Allow: authz.Signed(), Signed: signedPDF, Time: kernel.TransferTime, Sends: []string{pdfType},
		Also:    []int{http.StatusPreconditionFailed},
		Summary: "Download a PDF from an address that getSpacePDF or getChangeRequestPDF returned.",
		About: "Range and If-None-Match are supported. HEAD does not create the PDF. " +
			"412 if the PDF would be too long. 429 also if too many PDFs are being created.",
	}, h.downloadPDF)
}

// PDFOptions select the pages of a PDF.
type PDFOptions struct {
	Page docs.PageID `query:"page" maxLength:"200" doc:"Id of a page: only that page and the pages below it. Default: all pages."`
	Only bool        `query:"only" doc:"With page: exclude the pages below it."`
}

type pdfIn struct {
	wire.SpaceIn
	PDFOptions
}

type requestPDFIn struct {
	wire.RequestIn
	PDFOptions
}

type pdfAddress struct {
	URL string `json:"url" format:"uri" doc:"Signed; valid for one hour."`
}

// pdfOut returns a signed address for a PDF of a revision. The signature covers
// everything that decides about the content, and the user, whose rights are checked again
// when the PDF is downloaded.
func (h *handlers) pdfOut(ctx context.Context, open wire.Opener, o PDFOptions) (*kernel.Out[pdfAddress], error) {
	v, err := open(ctx)
	if err != nil {
		return nil, err
	}
	if o.Page == "" && o.Only {
		return nil, errs.Field("query.only", "can only be used together with page")
	}
	title := v.Space.Title
	if o.Page != "" {
		p, err := v.Page(ctx, o.Page)
		if err != nil {
			return nil, err
		}
		if !p.HasPath() {
			return nil, errs.Field("query.page", "names a page without content of its own; choose a document or a group")
		}
		title = p.Title
	}
	q := pdfQuery{page: string(o.Page), user: string(authz.FromContext(ctx).Actor.User)}
	if o.Only {
		q.only = "true"
	}
	name := docs.SlugOf(title) + ".pdf"
	signature := h.Signer.Sign(h.Clock().Add(pdfExpiry), q.signed(string(v.Space.ID), string(v.Rev.ID), name)...)
	at := h.Location("pdf", string(v.Space.ID), string(v.Rev.ID), url.PathEscape(name)) + "?" + q.encode(signature)
	return kernel.OK(pdfAddress{at}), nil
}

// pdfQuery holds the query parameters of an address that determine the content of a PDF.
type pdfQuery struct{ page, only, user string }

func pdfQueryOf(v url.Values) pdfQuery {
	return pdfQuery{v.Get("page"), v.Get("only"), v.Get("user")}
}

func (q pdfQuery) encode(signature string) string {
	v := url.Values{"signature": {signature}}
	for key, value := range map[string]string{"page": q.page, "only": q.only, "user": q.user} {
		if value != "" {
			v.Set(key, value)
		}
	}
	return v.Encode()
}

// signed returns the values that a signature covers. The first part prevents the use of
// signatures of files for PDFs.
func (q pdfQuery) signed(space, revision, name string) []string {
	return []string{"pdf", space, revision, name, q.page, q.only, q.user}
}

// downloadPDFIn holds the parameters of an address that pdfOut returned.
type downloadPDFIn struct {
	wire.SpaceIn
	Revision docs.RevisionID `path:"revisionId"`
	Name     string          `path:"name"`
	Page     string          `query:"page"`
	Only     string          `query:"only"`
	User     docs.UserID     `query:"user"`
	wire.SignedAddress
}

func signedPDF(r *http.Request) []string {
	return pdfQueryOf(r.URL.Query()).signed(r.PathValue("spaceId"), r.PathValue("revisionId"), r.PathValue("name"))
}

func (h *handlers) downloadPDF(ctx context.Context, in *downloadPDFIn) (kernel.Stream, error) {
	g, err := h.stillReads(ctx, in.User, in.Space)
	if err != nil {
		return nil, err
	}
	v, err := h.Content.Revision(ctx, g.Space, in.Revision)
	if err != nil {
		return nil, err
	}
	q := pdfQuery{in.Page, in.Only, string(in.User)}
	return func(w http.ResponseWriter, r *http.Request) (err error) {
		if r.Method == http.MethodHead {
			w.Header().Set("Content-Type", pdfType)
			return nil
		}
		f, hash, err := h.makePDF(r.Context(), v, q, g.SeesPeople())
		if err != nil {
			return fmt.Errorf("make a PDF of revision %s of space %s: %w", in.Revision, in.Space, err)
		}
		defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
		blob.Serve(w, r, blob.Served{Name: in.Name, ContentType: pdfType, Hash: hash}, f)
		return nil
	}, nil
}

// makePDF writes a PDF to a temporary file, which the caller must close and remove.
func (h *handlers) makePDF(ctx context.Context, v *revision.View, q pdfQuery, members bool) (*os.File, blob.Hash, error) {
	return h.Content.PDF(ctx, v, content.BookOptions{
		Page: docs.PageID(q.page), Only: q.only == "true", Members: members,
		FileURL: func(f docs.File) string { return h.DownloadURL(wire.Bearer{User: docs.UserID(q.user)}, v.Space, f) },
	})
}
