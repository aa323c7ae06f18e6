package page

import (
	"bytes"
	"encoding/json"
	"html/template"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/octavo-docs/octavo/internal/cache"
	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/embeds"
	"github.com/octavo-docs/octavo/internal/markup/html"
	"github.com/octavo-docs/octavo/internal/openapi/apidoc"
	"github.com/octavo-docs/octavo/internal/print/formula"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/sites"
)

// rendered is the text of a page as HTML, without its frame. Revisions share it if they
// have the same source of the page and if all references of the text resolve to the same
// results. So an edit of one page renders one text. It is immutable.
type rendered struct {
	html    template.HTML
	outline []markup.Heading
	frames  []string // origins of frames that readers may open
	updates bool
	wide    bool // a block takes the width of the page
	columns bool // samples are beside operations
	trace   *revision.Trace
	lookups map[lookup]lookupResult
	partial bool // there was no time for some formulas, so it is not kept
}

// renderedKey is the cache key of a text. It covers all inputs except the references.
type renderedKey struct {
	space     docs.SpaceID
	base      string
	visitor   string
	page      docs.PageID
	source    chunk.Hash
	sidecar   chunk.Hash
	variables string
	untitled  bool // the layout hides the title
	wide      bool
	covered   bool // there is a picture above the text
	look      look
}

// lookup asks for a property of the target of a reference, on which the text depends.
type lookup struct {
	about byte
	ref   docs.Ref
	part  string // of an API description
}

// Properties that lookups ask for.
const (
	lookupLink  byte = 'l'
	lookupTitle byte = 't'
	lookupSize  byte = 's'
	// lookupExtent is the width and height of an image.
	lookupExtent byte = 'e'
	// lookupSources are the files of an image.
	lookupSources byte = 'f'
	// lookupSpec is the fingerprint of a part of an API description.
	lookupSpec byte = 'a'
)

type lookupResult struct {
	text          string
	size          int64
	width, height int
	ok            bool
}

func (f *rendered) weight() int {
	return 1<<10 + len(f.html) + f.trace.Weight() + 1<<8*len(f.lookups) + 1<<7*len(f.outline)
}

// texts is a cache of rendered texts. It counts how many were rendered.
type texts struct {
	*cache.Cache[renderedKey, *rendered]
	made atomic.Int64
}

// Rendered returns how many texts were rendered since the start.
func (s *Shared) Rendered() int64 { return s.texts.made.Load() }

func newTexts() *texts { return &texts{Cache: cache.New[renderedKey](maxTexts, (*rendered).weight)} }

// text returns the text of a page, and records the specifications that it depends on.
func (p *Printer) text(n *edition.Node) (*rendered, error) {
	f, err := p.current(n)
	if err != nil {
		return nil, err
	}
	p.partial = p.partial || f.partial
	noted := map[docs.Ref]bool{}
	for q := range f.lookups {
		if q.about == lookupSpec && q.ref.Kind != docs.RefFile && !noted[q.ref] && p.Content.Specs != nil {
			noted[q.ref] = true
			version, _ := p.specVersion(q.ref)
			p.specs = append(p.specs, specStamp{q.ref, version})
		}
	}
	return f, nil
}

// current returns the text of a page from the cache, or renders it.
func (p *Printer) current(n *edition.Node) (*rendered, error) {
	if p.kept == nil {
		return p.render(n)
	}
	key := renderedKey{
		space: p.e.Space.ID, base: p.e.Base, visitor: p.e.View.Visitor().Key(), page: n.ID, source: n.Body, sidecar: n.Sidecar,
		untitled: untitled(n), wide: isWide(n.Page), covered: isCovered(n.Page), look: p.look,
	}
	if len(n.Variables) > 0 {
		b, err := json.Marshal(n.Variables)
		if err != nil {
			return nil, err
		}
		key.variables = string(b)
	}
	if f, ok := p.kept.Get(key); ok {
		if same, err := p.same(f, n); err != nil || same {
			return f, err
		}
	}
	f, err := p.render(n)
	if err == nil {
		p.kept.made.Add(1)
	}
	if err == nil && !f.partial {
		p.kept.Set(key, f)
	}
	return f, err
}

// same reports whether a cached text equals the one that render would return now.
func (p *Printer) same(f *rendered, n *edition.Node) (bool, error) {
	if same, err := f.trace.SameIn(p.ctx, p.view(), n.Page); err != nil || !same {
		return false, err
	}
	for q, was := range f.lookups {
		if p.resolve(q) != was {
			return false, p.Err
		}
	}
	return p.Err == nil, p.Err
}

// view returns the revision with the current state of its space.
func (p *Printer) view() *revision.View {
	v := *p.e.View
	v.Space, v.Known = p.e.Space, p.e.Sees
	return &v
}

// render renders the text of a page, and records what it depends on.
func (p *Printer) render(n *edition.Node) (*rendered, error) {
	view, trace := p.view().StartTrace()
	doc, err := reading.Document(p.ctx, view.Reading(n.Page), reading.Form{Includes: true, Evaluation: reading.EvaluateAll})
	if err != nil {
		return nil, err
	}
	f := &rendered{trace: trace, lookups: map[lookup]lookupResult{}}
	resolve := func(about byte, ref docs.Ref) lookupResult {
		q := lookup{about: about, ref: ref}
		a := p.resolve(q)
		f.lookups[q] = a
		return a
	}
	var body bytes.Buffer
	o, formulas := p.options(resolve)
	o.Untitled = untitled(n)
	o.Wide, o.Lead = isWide(n.Page), !isCovered(n.Page)
	o.Player = func(address string) (html.Player, bool) { return p.player(f, address) }
	api := apidoc.NewPage(p.spec, o)
	if p.look.canTry {
		api.Trials(p.e.Base + sites.OwnPrefix + TryName + string(n.ID))
	}
	o.API = func(b markup.APIBlock) (string, bool) {
		if p.recordError(p.ctx.Err()); p.Err != nil {
			return "", false // the rest of the page is not shown any more
		}
		if b.Inline == nil { // an inline description is part of the source of the page
			q := lookup{lookupSpec, b.Ref, apidoc.PartOf(b)}
			f.lookups[q] = p.resolve(q)
		}
		return api.HTML(b)
	}
	err = html.Write(&body, doc, o)
	if err == nil {
		err = p.Err
	}
	if err != nil {
		return nil, err
	}
	f.html = template.HTML(body.String()) //nolint:gosec // what HTML writes is harmless
	f.outline = markup.Outline(doc, func(b markup.APIBlock) string { return apidoc.Title(p.spec, b) })
	_, f.updates = markup.Updates(doc)
	f.wide, f.columns = html.HasFullWidth(doc), api.Columns()
	f.partial = formulas.Omitted()
	return f, nil
}

// player returns what shows an embedded page in a frame, and notes the origin of the frame.
func (p *Printer) player(f *rendered, address string) (html.Player, bool) {
	player, ok := embeds.PlayerOf(address, strings.Split(p.look.embeds, ","))
	if !ok {
		return html.Player{}, false
	}
	if !slices.Contains(f.frames, player.Origin()) {
		f.frames = append(f.frames, player.Origin())
	}
	return html.Player{Address: player.Address, Host: player.Host, Video: player.Video}, true
}

// resolve returns the result of a lookup.
func (p *Printer) resolve(q lookup) (a lookupResult) {
	switch q.about {
	case lookupLink:
		a.text, a.ok = p.Link(q.ref)
	case lookupTitle:
		a.text, a.ok = p.title(q.ref)
	case lookupSize:
		a.size, a.ok = p.size(q.ref)
	case lookupSpec:
		a.text, a.ok = apidoc.Fingerprint(p.spec(q.ref), q.part)
	case lookupExtent:
		f, ok := p.file(q.ref)
		a.width, a.height, a.ok = f.Width, f.Height, ok
	case lookupSources:
		a.text, a.ok = p.sources(q.ref)
	}
	return a
}

// options returns the options for the HTML of a page, and the typesetting of its formulas.
func (p *Printer) options(resolve func(byte, docs.Ref) lookupResult) (html.Options, *formula.Work) {
	o := p.look.options(resolve)
	formulas := p.look.formulas.Begin(p.ctx, string(p.e.Space.Org), formula.PageTime)
	o.Math = func(source string, display bool) (string, bool) {
		if p.recordError(p.ctx.Err()); p.Err != nil {
			return "", false
		}
		return formulas.MathML(source, display)
	}
	return o, formulas
}

func (l look) options(resolve func(byte, docs.Ref) lookupResult) html.Options {
	text := func(about byte) func(docs.Ref) (string, bool) {
		return func(ref docs.Ref) (string, bool) {
			a := resolve(about, ref)
			return a.text, a.ok
		}
	}
	return html.Options{
		Link: text(lookupLink), Title: text(lookupTitle),
		Size: func(ref docs.Ref) (int64, bool) {
			a := resolve(lookupSize, ref)
			return a.size, a.ok
		},
		Extent: func(ref docs.Ref) (int, int, bool) {
			a := resolve(lookupExtent, ref)
			return a.width, a.height, a.ok
		},
		Sources: func(ref docs.Ref) string {
			if !l.pictures {
				return ""
			}
			return resolve(lookupSources, ref).text
		},
		Highlight: l.highlight, Icons: l.icons, Dark: l.dark, NewTab: l.newTab, Labels: &l.texts.Labels,
	}
}
