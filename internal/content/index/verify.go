package index

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/store/searchrows"
)

// VerifySpace is Verify on a snapshot. It finds nothing if the space is gone.
func (s *Index) VerifySpace(ctx context.Context, id docs.SpaceID) (found []string, err error) {
	err = s.Store.Snapshot(ctx, func(r store.Reader) error {
		sp, err := r.Space(ctx, id)
		if errs.Is(err, errs.NotFound) {
			return nil
		}
		if err == nil {
			found, err = s.Verify(ctx, r, sp.It)
		}
		return err
	})
	return found, err
}

// Verify derives the keys of the tree, the links and the search index of the newest
// revision of a space again and compares them with what is stored. It returns a
// message for each difference. r must be the reader of a snapshot.
func (s *Index) Verify(ctx context.Context, r store.Reader, sp docs.Space) ([]string, error) {
	v, err := s.Source.At(ctx, r, sp, sp.Revision)
	if err != nil {
		return nil, err
	}
	c := &Verifier{S: s, V: v, r: r}
	if err := c.Tree(ctx); err != nil {
		return nil, err
	}
	if err := c.blobs(ctx); err != nil {
		return nil, err
	}
	return c.Found, c.index(ctx)
}

type Verifier struct {
	S     *Index
	V     *revision.View
	r     store.Reader
	Found []string
	texts []docs.Page
}

// deletedHash is the entry of a deleted page in the search index.
const deletedHash = "gone"

// maxFindings is the maximum number of findings that are reported.
const maxFindings = 50

func (c *Verifier) say(format string, args ...any) {
	if len(c.Found) < maxFindings {
		c.Found = append(c.Found, fmt.Sprintf(format, args...))
	}
}

// Tree checks that the keys of order and slugs agree with the pages.
func (c *Verifier) Tree(ctx context.Context) error {
	pages := map[docs.PageID]docs.Page{}
	err := c.V.Scan(ctx, revision.KeyPage, "", func(id string, b []byte) (bool, error) {
		p, err := docs.DecodePage(id, b)
		pages[p.ID] = p
		return true, err
	})
	if err != nil {
		return err
	}
	want := map[string]bool{}
	for _, p := range pages {
		want[revision.OrderKey(p)] = true
		if p.Slug != "" {
			if want[revision.SlugKey(p.Parent, p.Slug)] {
				c.say("page %s has the slug %q of a page next to it", p.ID, p.Slug)
			}
			want[revision.SlugKey(p.Parent, p.Slug)] = true
		}
		if _, ok := pages[p.Parent]; p.Parent != "" && !ok {
			c.say("page %s is below %s, which does not exist", p.ID, p.Parent)
		}
		for up, depth := p, 0; up.Parent != ""; up, depth = pages[up.Parent], depth+1 {
			if depth > docs.MaxPageDepth {
				c.say("page %s is deeper than %d levels, or below itself", p.ID, docs.MaxPageDepth)
				break
			}
		}
		if p.HasBody() {
			c.texts = append(c.texts, p)
		}
		for _, h := range []chunk.Hash{p.Body, p.Sidecar} {
			if _, err := c.V.Bytes(ctx, h); err != nil {
				c.say("page %s: %v", p.ID, err)
			}
		}
	}
	for _, prefix := range []string{revision.KeyOrder, revision.KeySlug} {
		err := c.V.Scan(ctx, prefix, "", func(rest string, _ []byte) (bool, error) {
			if !want[prefix+rest] {
				c.say("the key %q leads to no page", prefix+rest)
			}
			delete(want, prefix+rest)
			return true, nil
		})
		if err != nil {
			return err
		}
	}
	for key := range want {
		c.say("the key %q is missing", key)
	}
	return nil
}

func (c *Verifier) blobs(ctx context.Context) error {
	files, err := c.V.Files(ctx, "", 0)
	if err != nil {
		return err
	}
	// Other files of the folder have no id; their path takes its place.
	err = c.V.Scan(ctx, revision.KeySetting+revision.SettingOther, "", func(at string, b []byte) (bool, error) {
		f, err := revision.DecodeFile(at, b)
		files = append(files, f)
		return true, err
	})
	if err != nil {
		return err
	}
	for _, f := range files {
		h, err := blob.ParseHash(f.Blob)
		if err != nil {
			c.say("file %s: %v", f.ID, err)
			continue
		}
		if ok, err := c.S.Blobs.Has(ctx, h); err != nil {
			return err
		} else if !ok {
			c.say("the bytes of the file %s (%s) are missing", f.ID, f.Name)
		}
	}
	return nil
}

// index compares links and search with the content.
func (c *Verifier) index(ctx context.Context) error {
	ix := &indexer{space: c.V.Space, tree: c.V.Tree}
	links, search := map[string]string{}, map[string]string{}
	add := func(lp store.LayerPage) { links[lp.ID] = printLinks(lp) }
	err := c.V.Scan(ctx, revision.KeyPage, "", func(id string, b []byte) (bool, error) {
		p, err := docs.DecodePage(id, b)
		if err != nil {
			return false, err
		}
		sp, lp, err := ix.page(ctx, p)
		add(lp)
		if p.Type == docs.PageDocument {
			search[id] = sp.Hash()
		}
		return true, err
	})
	if err != nil {
		return err
	}
	reusables, err := c.V.Reusables(ctx)
	if err != nil {
		return err
	}
	for _, r := range reusables {
		lp, err := ix.reusable(ctx, r)
		if err != nil {
			return err
		}
		add(lp)
	}
	err = c.r.LayerDump(ctx, c.V.Space.Layer, func(lp store.LayerPage) error {
		if want, ok := links[lp.ID]; !ok {
			c.say("the index has links of %s, which does not exist", lp.ID)
		} else if got := printLinks(lp); got != want {
			c.say("the links of %s are %s; they should be %s", lp.ID, got, want)
		}
		delete(links, lp.ID)
		return nil
	})
	if err != nil {
		return err
	}
	for id := range links {
		c.say("the links of %s are missing", id)
	}
	return c.search(ctx, search)
}

func (c *Verifier) search(ctx context.Context, want map[string]string) error {
	chain, err := c.r.LayerChain(ctx, c.V.Space.Layer)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, layer := range chain {
		if err := c.r.CheckSearch(ctx, layer); errors.Is(err, searchrows.ErrIndex) {
			c.say("%v", err)
		} else if err != nil {
			return err
		}
		entries, err := c.r.SearchEntries(ctx, layer)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if seen[e.Page] {
				continue
			}
			seen[e.Page] = true
			if e.Hash == deletedHash {
				continue
			}
			if hash, ok := want[e.Page]; !ok {
				c.say("the search index has %s, which does not exist", e.Page)
			} else if hash != e.Hash {
				c.say("the search index has other content of %s", e.Page)
			}
			delete(want, e.Page)
		}
	}
	for id := range want {
		c.say("%s is missing in the search index", id)
	}
	return nil
}

func printLinks(lp store.LayerPage) string {
	links := append([]store.Link{}, lp.Links...)
	for i := range links {
		links[i].Page = ""
	}
	b, err := json.Marshal(struct {
		Anchors string
		Links   []store.Link
	}{strings.Join(lp.Anchors, " "), links})
	if err != nil {
		return err.Error()
	}
	return string(b)
}
