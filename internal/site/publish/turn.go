package publish

import (
	"bytes"
	"io"
	"net/http"
	"sync"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/site/coding"
	"github.com/octavo-docs/octavo/internal/site/publish/mcpserver"
	"github.com/octavo-docs/octavo/internal/site/publish/page"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// Readers of sites may be anybody. Pages that are kept are sent to them without any bounds,
// because that costs little. Everything else goes through begin: it counts against the rate
// limit of the reader, and its organization takes turns with others. What is heavy besides
// takes one of a few places.

// heavyPlaces is how many heavy requests are served at a time, such as searches and texts of
// many pages. The requests for the sites of one organization have half of them, and so keep half
// of the processors busy.
var heavyPlaces = int64(max(2, budget.Processors()))

// begin is called before work for a response that is not kept. It counts the request, reads
// its body, and waits for a turn if the organization of the site needs one. The turn ends
// when the response begins, so the response must be written to the returned writer.
func (v *visit) begin(w http.ResponseWriter, r *http.Request) (http.ResponseWriter, error) {
	if v.end != nil {
		return w, nil
	}
	if err := v.h.Take(w, r); err != nil {
		return w, err
	}
	if err := v.readBody(r); err != nil { // first, because a client may send it slowly
		return w, err
	}
	end, err := budget.Begin(v.Ctx)
	if err != nil {
		return w, err
	}
	v.end = sync.OnceFunc(func() {
		end()
		if v.place != nil {
			v.place()
		}
	})
	return coding.BeforeSending(w, v.end), nil
}

// heavy waits for a place among the heavy requests, which the visit keeps until its response
// begins.
func (v *visit) heavy() (err error) {
	if v.place == nil {
		v.place, err = v.h.heavy.Enter(v.Ctx, string(v.Site.Org), 1)
	}
	return err
}

// tryHeavy is heavy for work that can be left out. It does not wait, and reports whether
// there is a place.
func (v *visit) tryHeavy() bool {
	if v.place == nil {
		v.place, _ = v.h.heavy.Try(string(v.Site.Org), 1)
	}
	return v.place != nil
}

// largeBodies is the number of bytes that all bodies of requests take together that are longer than
// a call of the MCP server. smallBody is the size up to which a body is read immediately.
const (
	largeBodies = 16 << 20
	smallBody   = mcpserver.MaxCall + 1
	bodyCopies  = 4 // memory that a body takes while it is read and parsed, as a multiple of its size
)

// readBody reads the body of a request into memory, up to one byte more than the longest one
// that is accepted. A stranger can send many at a time, and slowly, so what is long waits for a
// part of a pool, which networks share.
func (v *visit) readBody(r *http.Request) error {
	if r.Method != http.MethodPost || r.Body == nil {
		return nil
	}
	most := maxFeedback
	switch {
	case isMCPCall(r):
		most = mcpserver.MaxCall
	case isPostTo(r, page.TryName) && v.CanTry():
		most = maxTryRequest
	}
	b, err := io.ReadAll(io.LimitReader(r.Body, int64(min(most+1, smallBody))))
	if err == nil && len(b) == smallBody && most >= smallBody {
		size := int64(most)
		if r.ContentLength > 0 {
			size = min(size, r.ContentLength)
		}
		release, err := v.h.bodies.Take(v.Ctx, authz.NetworkOf(authz.OriginOf(r.RemoteAddr, "").Address), bodyCopies*size)
		if err != nil {
			return err
		}
		budget.FromContext(v.Ctx).Hold(release)
		rest, _ := io.ReadAll(io.LimitReader(r.Body, int64(most+1-len(b)))) // the error comes again
		b = append(b, rest...)
	}
	r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(b), r.Body))
	return nil
}

// refuse writes the response for a request that is refused for now: as a page to people who gave
// feedback, as JSON to the script that tries requests.
func (v *visit) refuse(w http.ResponseWriter, r *http.Request, err error) error {
	switch {
	case !errs.Is(err, errs.TooMany):
		return err
	case isPostTo(r, page.FeedbackName):
		f := v.reader.NeutralFrame()
		return theme.Write(w, http.StatusTooManyRequests, f, &theme.Message{Title: f.Texts().Feedback.Later})
	case isPostTo(r, page.TryName):
		return writeJSON(w, http.StatusTooManyRequests, map[string]string{"error": errs.Message(err)})
	}
	return err
}
