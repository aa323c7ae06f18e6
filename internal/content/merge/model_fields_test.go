package merge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
)

// What the model knows beside bodies and places of pages: their fields, the attributes of blocks,
// front matter, and what a space has beside pages. Reusable contents, files and the variables
// of the space are pages of the model that are not in the tree of pages; their ids have a
// colon.

const (
	modelSpace    = "space:"
	modelReusable = "reusable:"
	modelFile     = "file:"
)

// pageFields set a field of a page to a value, by the name that a conflict has for it.
var pageFields = map[string]struct {
	field string // of docs.Page
	set   func(p *docs.Page, value string)
}{
	"description":   {"Description", func(p *docs.Page, v string) { p.Description = v }},
	"emoji":         {"Emoji", func(p *docs.Page, v string) { p.Emoji = v }},
	"icon":          {"Icon", func(p *docs.Page, v string) { p.Icon = v }},
	"linkTitle":     {"LinkTitle", func(p *docs.Page, v string) { p.LinkTitle = v }},
	"condition":     {"Condition", func(p *docs.Page, v string) { p.Condition = v }},
	"hidden":        {"Hidden", func(p *docs.Page, v string) { p.Hidden = v != "" }},
	"noIndex":       {"NoIndex", func(p *docs.Page, v string) { p.NoIndex = v != "" }},
	"noRobotsIndex": {"NoRobotsIndex", func(p *docs.Page, v string) { p.NoRobotsIndex = v != "" }},
	"layout": {"Layout", func(p *docs.Page, v string) {
		if p.Layout = nil; v != "" {
			p.Layout = &docs.Layout{Width: v}
		}
	}},
	"cover": {"Cover", func(p *docs.Page, v string) {
		if p.Cover = nil; v != "" {
			p.Cover = &docs.PageCover{Ref: &docs.Ref{Kind: docs.RefURL, URL: v}}
		}
	}},
	"tags": {"Tags", func(p *docs.Page, v string) {
		if p.Tags = nil; v != "" {
			p.Tags = []docs.PageTag{{Tag: v}}
		}
	}},
	"metaLinks": {"MetaLinks", func(p *docs.Page, v string) {
		if p.MetaLinks = nil; v != "" {
			p.MetaLinks = &docs.MetaLinks{Canonical: v}
		}
	}},
}

// modelledElsewhere are the fields of a page that the model has in another form.
var modelledElsewhere = map[string]string{
	"ID": "the key", "Type": "all are documents", "Parent": "parent", "Rank": "not compared", "Title": "title",
	"Slug": "the field slug", "Pinned": "see Slug", "Body": "blocks and the field head", "Sidecar": "see Body", "File": "of folders", "OID": "of folders",
	"Variables": "the fields variables.a and variables.b", "Target": "of links only", "Computed": "of generated pages only", "Method": "of generated pages only", "CreatedAt": "", "UpdatedAt": "",
}

func TestMergeModelKnowsEveryField(t *testing.T) {
	known := map[string]bool{}
	for _, f := range pageFields {
		known[f.field] = true
	}
	page := reflect.TypeFor[docs.Page]()
	for i := range page.NumField() {
		name := page.Field(i).Name
		if _, otherwise := modelledElsewhere[name]; otherwise == known[name] {
			t.Errorf("Page.%s must be either in pageFields or in modelledElsewhere", name)
		}
	}
}

// modelFields are the fields of pages, of the space and of other things that the model merges.
var modelFields = append(slices.Sorted(maps.Keys(pageFields)), "head", "slug", "variables.a", "variables.b")

// switches are the fields that have one value beside none.
var switches = []string{"hidden", "noIndex", "noRobotsIndex"}

func isPage(id string) bool { return !strings.Contains(id, ":") }

// hint is a block of the model with attributes.
type hint struct{ style, icon, text string }

func (h hint) String() string {
	icon := ""
	if h.icon != "" {
		icon = fmt.Sprintf(" icon=%q", h.icon)
	}
	return fmt.Sprintf("{%% hint style=%q%s %%}\n%s\n{%% endhint %%}", h.style, icon, h.text)
}

// readHint returns the hint that a block is.
func readHint(text string) (h hint, ok bool) {
	open, rest, ok := strings.Cut(text, " %}\n")
	if !ok || !strings.HasPrefix(open, "{% hint ") {
		return h, false
	}
	h.text = strings.TrimSuffix(rest, "\n{% endhint %}")
	for _, part := range strings.Fields(open) {
		if s, is := strings.CutPrefix(part, "style="); is {
			h.style = strings.Trim(s, `"`)
		}
		if s, is := strings.CutPrefix(part, "icon="); is {
			h.icon = strings.Trim(s, `"`)
		}
	}
	return h, true
}

// firstWord returns the word that a block is known by.
func firstWord(text string) string {
	if h, ok := readHint(text); ok {
		text = h.text
	}
	first, _, _ := strings.Cut(text, " ")
	return first
}

// written appends a word to a block.
func written(text, word string) string {
	if h, ok := readHint(text); ok {
		h.text += " " + word
		return h.String()
	}
	return text + " " + word
}

// mergeBlock merges three forms of a block. Attributes are merged each for itself; where
// one is in conflict, the block is.
func mergeBlock(pick func(b, a, c string) (string, bool), b, a, c string) (string, bool) {
	x, one := readHint(b)
	y, two := readHint(a)
	z, three := readHint(c)
	if !one || !two || !three {
		return pick(b, a, c)
	}
	var out hint
	clean := true
	for _, part := range []struct{ to, b, a, c *string }{
		{&out.style, &x.style, &y.style, &z.style}, {&out.icon, &x.icon, &y.icon, &z.icon}, {&out.text, &x.text, &y.text, &z.text},
	} {
		v, ok := pick(*part.b, *part.a, *part.c)
		*part.to, clean = v, clean && ok
	}
	return out.String(), clean
}

// attribute changes an attribute of a hint.
func (d *modelDesk) attribute(l *modelLine, id, word string) {
	p := l.tree[id]
	h, _ := readHint(p.blocks[word])
	if rapid.Bool().Draw(d.T, "style") {
		h.style = rapid.SampledFrom([]string{"info", "warning", "danger", "success"}).Draw(d.T, "of")
	} else if h.icon != "" && rapid.Bool().Draw(d.T, "remove") {
		h.icon = ""
	} else {
		h.icon = d.fresh("i")
	}
	p.blocks[word] = h.String()
	d.write(l, id)
}

// set changes a field of a page; sometimes as somebody else would.
func (d *modelDesk) set(l *modelLine, id string) {
	ctx := context.Background()
	p, key := l.tree[id], rapid.SampledFrom(d.focus).Draw(d.T, "field")
	value := d.fresh("f")
	switch {
	case key == "slug":
	case p.fields[key] != "" && key != "head" && (slices.Contains(switches, key) || rapid.Bool().Draw(d.T, "remove")):
		value = ""
	case slices.Contains(switches, key):
		value = "true"
	case key == "emoji":
		value = fmt.Sprintf("1f4%02x", rapid.IntRange(0, 200).Draw(d.T, "emoji"))
	case key == "layout":
		value = rapid.SampledFrom([]string{"wide", "default"}).Draw(d.T, "width")
	case rapid.IntRange(0, 3).Draw(d.T, "same") == 0:
		value = "equal"
	}
	if p.fields[key] = value; value == "" {
		delete(p.fields, key)
	}
	if key == "slug" {
		d.change(l, id, func(_ context.Context, _ *revision.Draft, page *docs.Page) error {
			page.Slug, page.Pinned = value, true
			return nil
		})
		return
	}
	dr := d.draft(l.rev)
	page, err := dr.Page(ctx, docs.PageID(id))
	if err != nil {
		d.Fatalf("%v", err)
	}
	switch name, isVariable := strings.CutPrefix(key, "variables."); {
	case isVariable:
		vars := docs.Variables{}
		maps.Copy(vars, page.Variables)
		if vars[name] = value; value == "" {
			delete(vars, name)
		}
		page.Variables = vars
	case key == "head":
		err = d.head(dr, page, value)
	default:
		pageFields[key].set(&page, value)
	}
	if err == nil && key != "head" {
		err = dr.Put(ctx, page)
	}
	if err != nil {
		d.Fatalf("%v", err)
	}
	l.rev = d.stored(dr)
}

// head writes front matter that only the file has.
func (d *modelDesk) head(dr *revision.Draft, page docs.Page, value string) error {
	ctx := context.Background()
	doc, err := dr.Document(ctx, page)
	if err != nil {
		return err
	}
	head := []byte("---\nown: " + value + "\n---\n\n")
	dr.Written[page.ID] = &revision.Writing{Path: "body", Doc: doc, Head: &head}
	return dr.ComposeBodies(ctx)
}

// fieldsOf returns the fields of a page that the model knows.
func (d *modelDesk) fieldsOf(v *revision.View, p docs.Page) map[string]string {
	ctx, out := context.Background(), map[string]string{}
	for key := range pageFields {
		value, ok, err := docs.FieldValue(p, key)
		if err != nil {
			d.Fatalf("%v", err)
		}
		for ok { // the one value that is set in it
			switch x := value.(type) {
			case map[string]any:
				for _, name := range []string{"ref", "url", "Width", "Canonical", "Tag"} {
					if x[name] != nil {
						value = x[name]
					}
				}
				continue
			case []any:
				value = x[0]
				continue
			}
			out[key] = fmt.Sprint(value)
			break
		}
	}
	if p.Pinned {
		out["slug"] = p.Slug
	}
	for name, value := range p.Variables {
		out["variables."+name] = fmt.Sprint(value)
	}
	x, err := v.PageText(ctx, p)
	if err != nil {
		d.Fatalf("%v", err)
	}
	src, err := v.Bytes(ctx, x.Body)
	if err != nil {
		d.Fatalf("%v", err)
	}
	if _, own, ok := strings.Cut(string(src), "own: "); ok && strings.HasPrefix(string(src), "---\n") {
		out["head"], _, _ = strings.Cut(own, "\n")
	}
	return out
}

// begin makes a space with some of everything, so that changes meet.
func (d *modelDesk) begin() *modelLine {
	d.theme = rapid.SampledFrom([]string{"", "", modelSpace, modelReusable, modelFile, "fields", "attributes"}).Draw(d.T, "theme")
	d.focus = rapid.SliceOfNDistinct(rapid.SampledFrom(modelFields), 1, 4, rapid.ID[string]).Draw(d.T, "focus")
	l := &modelLine{rev: d.revision(""), tree: modelTree{modelSpace: newModelPage(modelSpace)}}
	for range rapid.IntRange(1, 3).Draw(d.T, "pages") {
		d.insert(l, d.fresh("page"), "", d.fresh("w"), d.fresh("w"), d.fresh("w"))
	}
	for _, id := range slices.Sorted(maps.Keys(l.tree)) {
		p := l.tree[id]
		if w := d.fresh("w"); isPage(id) && (d.theme == "attributes" || rapid.Bool().Draw(d.T, "hint")) {
			p.order, p.blocks[w] = append(p.order, w), hint{style: "info", text: w}.String()
			d.write(l, id)
			break
		}
	}
	dr := d.draft(l.rev)
	for _, id := range []string{modelReusable + "r", modelFile + "f"} {
		p := newModelPage(id)
		put := d.putFile
		if strings.HasPrefix(id, modelReusable) {
			p, put = newModelPage(id, d.fresh("w")), d.putReusable
		}
		if l.tree[id] = p; put(dr, id, p) != nil {
			d.Fatalf("cannot begin with %s", id)
		}
	}
	l.rev = d.stored(dr)
	return l
}

// editTheme makes a change of the kind that a sequence is about.
func (d *modelDesk) editTheme(l *modelLine) {
	ids := slices.DeleteFunc(slices.Sorted(maps.Keys(l.tree)), func(id string) bool { return !isPage(id) })
	switch {
	case d.theme == "fields":
		d.set(l, ids[0])
	case d.theme == "attributes":
		for _, id := range ids {
			for _, w := range l.tree[id].order {
				if _, is := readHint(l.tree[id].blocks[w]); is {
					d.attribute(l, id, w)
					return
				}
			}
		}
	default:
		d.editOther(l)
	}
}

// editOther changes something that is not a page.
func (d *modelDesk) editOther(l *modelLine) {
	if !strings.HasSuffix(d.theme, ":") {
		theme := d.theme
		d.theme = ""
		defer func() { d.theme = theme }()
	}
	ctx, dr := context.Background(), d.draft(l.rev)
	ids := slices.DeleteFunc(slices.Sorted(maps.Keys(l.tree)), func(id string) bool { return isPage(id) || !strings.HasPrefix(id, d.theme) })
	id := rapid.SampledFrom(append(slices.Concat(ids, ids), "new")).Draw(d.T, "other")
	kind, name, _ := strings.Cut(id, ":")
	var err error
	switch {
	case id == "new" && rapid.Bool().Draw(d.T, "is a file"):
		id = modelFile + d.fresh("file")
		l.tree[id] = newModelPage(id)
		err = d.putFile(dr, id, l.tree[id])
	case id == "new":
		id = modelReusable + d.fresh("reusable")
		l.tree[id] = newModelPage(id, d.fresh("w"))
		err = d.putReusable(dr, id, l.tree[id])
	case kind == "space":
		key := rapid.SampledFrom([]string{"variables.a", "variables.b", "variables.c"}).Draw(d.T, "variable")
		name, fields := strings.TrimPrefix(key, "variables."), l.tree[id].fields
		if fields[key] != "" && rapid.Bool().Draw(d.T, "remove") {
			delete(fields, key)
			dr.Remove(revision.KeyVariable + name)
			break
		}
		fields[key] = rapid.SampledFrom([]string{"equal", d.fresh("f")}).Draw(d.T, "value")
		b, _ := json.Marshal(fields[key])
		dr.Set(revision.KeyVariable+name, b)
	case rapid.IntRange(0, 3).Draw(d.T, "delete") == 0:
		delete(l.tree, id)
		if kind == "file" {
			err = dr.ReplaceFile(ctx, name, nil)
			break
		}
		var cur []byte
		if cur, _, err = dr.Get(ctx, revision.ReusableKey(name)); err == nil {
			err = dr.ReplaceReusable(ctx, name, cur, nil)
		}
	case kind == "file":
		l.tree[id].title = d.fresh("title")
		err = d.putFile(dr, id, l.tree[id])
	default:
		p := l.tree[id]
		if w := d.fresh("w"); rapid.Bool().Draw(d.T, "rename") {
			p.title = d.fresh("title")
		} else if len(p.order) > 0 && rapid.Bool().Draw(d.T, "edit") {
			p.blocks[p.order[0]] = written(p.blocks[p.order[0]], w)
		} else {
			p.order, p.blocks[w] = append(p.order, w), w
		}
		err = d.putReusable(dr, id, p)
	}
	if err != nil {
		d.Fatalf("%s: %v", id, err)
	}
	l.rev = d.stored(dr)
}

func newModelPage(title string, blocks ...string) *modelPage {
	p := &modelPage{title: title, blocks: map[string]string{}, order: blocks, fields: map[string]string{}}
	for _, w := range blocks {
		p.blocks[w] = w
	}
	return p
}

func (d *modelDesk) putFile(dr *revision.Draft, id string, p *modelPage) error {
	name := strings.TrimPrefix(id, modelFile)
	return dr.PutFile(docs.File{ID: docs.FileID(name), Name: p.title, ContentType: "text/plain", Blob: "b", Path: ".gitbook/assets/" + name})
}

func (d *modelDesk) putReusable(dr *revision.Draft, id string, p *modelPage) error {
	ctx, name := context.Background(), docs.ReusableID(strings.TrimPrefix(id, modelReusable))
	r := docs.Reusable{ID: name, File: ".gitbook/includes/" + string(name) + ".md"}
	if b, had, err := dr.Get(ctx, revision.ReusableKey(name)); err != nil {
		return err
	} else if had {
		if r, err = revision.DecodeReusable(string(name), b); err != nil {
			return err
		}
	}
	body, side, _, err := dr.Compose(ctx, revision.ReusableText(r), &revision.Writing{Path: "body", Markdown: []byte(p.text())})
	if err != nil {
		return err
	}
	r.Title, r.Body, r.Sidecar = p.title, body, side
	return dr.PutReusable(r)
}

// readOthers reads what is not a page.
func (d *modelDesk) readOthers(v *revision.View, out modelTree) {
	ctx := context.Background()
	space := newModelPage(modelSpace)
	out[modelSpace] = space
	err := v.Scan(ctx, revision.KeyVariable, "", func(name string, b []byte) (bool, error) {
		var value string
		err := json.Unmarshal(b, &value)
		space.fields["variables."+name] = value
		return true, err
	})
	if err == nil {
		err = v.Scan(ctx, revision.KeyFile, "", func(id string, b []byte) (bool, error) {
			f, err := revision.DecodeFile(id, b)
			out[modelFile+id] = newModelPage(f.Name)
			return true, err
		})
	}
	if err == nil {
		err = v.Scan(ctx, revision.KeyReusable, "", func(id string, b []byte) (bool, error) {
			r, err := revision.DecodeReusable(id, b)
			if err != nil {
				return false, err
			}
			doc, err := v.DocumentOf(ctx, revision.ReusableText(r))
			if err != nil {
				return false, err
			}
			out[modelReusable+id] = newModelPage(r.Title)
			out[modelReusable+id].read(doc)
			return true, nil
		})
	}
	if err != nil {
		d.Fatalf("%v", err)
	}
}

// read takes the blocks of a document over.
func (p *modelPage) read(doc *markup.Document) (twice string) {
	for _, n := range doc.Nodes {
		text := strings.TrimSpace(string(markup.Print(&markup.Document{Nodes: []*markup.Node{n}}, markup.Refs{})))
		first := firstWord(text)
		if _, there := p.blocks[first]; there {
			twice = first
		}
		p.blocks[first] = text
		p.order = append(p.order, first)
	}
	return twice
}

// redirects checks that the addresses which a line had before a merge lead to the same pages
// after it, unless a page has taken the address or the page is gone.
func (d *modelDesk) redirects(published, out docs.Revision) {
	ctx := context.Background()
	was, now := d.view(published), d.view(out)
	all, err := was.All(ctx)
	if err != nil {
		d.Fatalf("%v", err)
	}
	paths := map[string]docs.PageID{}
	var walk func(pages []*revision.PageNode)
	walk = func(pages []*revision.PageNode) {
		for _, w := range pages {
			path, err := was.Path(ctx, w.Page)
			if err != nil {
				d.Fatalf("%v", err)
			}
			paths[path] = w.ID
			walk(w.Children)
		}
	}
	walk(all)
	err = was.Scan(ctx, revision.KeyRedirect, "", func(path string, id []byte) (bool, error) {
		if paths[path] == "" {
			paths[path] = docs.PageID(id)
		}
		return true, nil
	})
	if err != nil {
		d.Fatalf("%v", err)
	}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		id := paths[path]
		if _, there, err := now.Lookup(ctx, id); err != nil || !there {
			continue
		}
		got, err := now.ByPath(ctx, path)
		if err != nil {
			d.Fatalf("the address %s of page %s leads nowhere after a merge: %v", path, id, err)
		}
		if at, err := now.Path(ctx, got); err != nil || got.ID != id && docs.SlugKey(at) != docs.SlugKey(path) {
			d.Fatalf("the address %s of page %s leads to %s at %s, %v", path, id, got.ID, at, err)
		}
	}
}
