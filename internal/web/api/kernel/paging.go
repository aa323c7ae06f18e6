package kernel

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Paged is part of the input of every list.
type Paged struct {
	Cursor string `query:"page" maxLength:"8192" doc:"Cursor from next.page of an earlier answer of the same list."`
	Limit  int    `query:"limit" minimum:"0" maximum:"1000" default:"50" doc:"Maximum number of items; 0 returns only the count."`
	// List identifies the list that a cursor belongs to: its path and filters. If the body
	// has filters, the operation adds them.
	list string
}

// Resolve stores the identity of the requested list. It is called for every request.
func (p *Paged) Resolve(ctx huma.Context) []error {
	p.list = listIn(ctx)
	return nil
}

// Narrow binds cursors to what else selects the list, such as filters of the body.
func (p *Paged) Narrow(by string) { p.list += by }

// ChangesPaged is like Paged, with a smaller default limit.
type ChangesPaged struct {
	Cursor string `query:"page" maxLength:"8192" doc:"Cursor from next.page of an earlier answer of the same list."`
	Limit  int    `query:"limit" minimum:"0" maximum:"1000" default:"10" doc:"Maximum number of changes; more is the number of remaining ones."`
	list   string
}

// Resolve stores the identity of the requested list, which cursors are bound to.
func (p *ChangesPaged) Resolve(ctx huma.Context) []error {
	p.list = listIn(ctx)
	return nil
}

// listIn returns the path and filters of the list that a request reads, without the
// parameters of paging.
func listIn(ctx huma.Context) string {
	u := ctx.URL()
	q := u.Query()
	q.Del("page")
	q.Del("limit")
	return u.Path + "?" + q.Encode()
}

// cursors signs and verifies cursors. A cursor contains the key of the last item, so it
// remains valid when items are added or removed. Its signature binds it to the list, its
// filters and the caller.
type cursors struct{ key []byte }

func (c cursors) mac(payload, list string, who *authz.Grant) string {
	h := hmac.New(sha256.New, c.key)
	h.Write([]byte(payload + "\x00" + list + "\x00" + string(who.Actor.User)))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:12])
}

// maxBodies is the maximum total size of comments, reviews and descriptions in one page
// of a list. A page with long ones ends early, and the next page continues.
const maxBodies = 1 << 20

// OpenPage returns the page that a request selects. It returns an error if the cursor is not
// valid for the list and the caller.
func (k *Kernel) OpenPage(ctx context.Context, p Paged) (store.Page, error) {
	out := store.Page{Limit: p.Limit, Bytes: maxBodies}
	if p.Cursor == "" {
		return out, nil
	}
	payload, sig, ok := strings.Cut(p.Cursor, ".")
	if !ok || !hmac.Equal([]byte(sig), []byte(k.cursors.mac(payload, p.list, authz.FromContext(ctx)))) {
		return out, badCursor()
	}
	b, err := base64.RawURLEncoding.DecodeString(payload)
	if err != nil || json.Unmarshal(b, &out.After) != nil {
		return out, badCursor()
	}
	return out, nil
}

func badCursor() error {
	return errs.Field("page", "is not a cursor of this list; start again without it")
}

// SealPage returns the cursor of the page that begins behind key, or nil if there is none.
func (k *Kernel) SealPage(ctx context.Context, p Paged, key store.Key) *Next {
	if key == nil {
		return nil
	}
	b, _ := json.Marshal(key) // strings can always be encoded
	payload := base64.RawURLEncoding.EncodeToString(b)
	return &Next{Page: payload + "." + k.cursors.mac(payload, p.list, authz.FromContext(ctx))}
}

// OffsetKey returns the key of a page that begins after offset items. The key pins what the
// List was computed from, such as two revisions, so that the items stay where they are.
func OffsetKey(offset int, pinned ...string) store.Key {
	return append(pinned, strconv.Itoa(offset))
}

// OffsetIn parses a key of OffsetKey with the given number of pinned values. Without a
// key, the offset is 0 and nothing is pinned.
func OffsetIn(at store.Page, pinned int) ([]string, int, error) {
	if len(at.After) == 0 {
		return nil, 0, nil
	}
	if len(at.After) != pinned+1 {
		return nil, 0, badCursor()
	}
	offset, err := strconv.Atoi(at.After[pinned])
	if err != nil {
		return nil, 0, badCursor()
	}
	return at.After[:pinned], offset, nil
}

// ListOf returns the output of a list operation. wire converts an item to its JSON form.
func ListOf[T, W any](ctx context.Context, k *Kernel, p Paged, l store.List[T], wire func(T) W) (*Page[W], error) {
	if l.Page == nil {
		return none[W](), nil
	}
	at, err := k.OpenPage(ctx, p)
	if err != nil {
		return nil, err
	}
	out := &Page[W]{}
	out.Body.Items = []W{}
	if p.Limit == 0 {
		if l.Count != nil {
			n, err := l.Count(ctx)
			out.Body.Count = &n
			return out, err
		}
		return out, nil
	}
	items, key, err := l.Page(ctx, at)
	if err != nil {
		return nil, err
	}
	for _, it := range items {
		out.Body.Items = append(out.Body.Items, wire(it))
	}
	out.Body.Next = k.SealPage(ctx, p, key)
	return out, nil
}

// none returns the output for a list that is always empty.
func none[W any]() *Page[W] {
	zero := int64(0)
	return &Page[W]{List[W]{Items: []W{}, Count: &zero}}
}

var _ huma.Resolver = (*Paged)(nil)

// ListViews is like ListOf for conversions that can fail.
func ListViews[T, W any](ctx context.Context, k *Kernel, p Paged, l store.List[T], wire func(context.Context, T) (W, error)) (*Page[W], error) {
	var failed error
	out, err := ListOf(ctx, k, p, l, func(it T) W {
		w, err := wire(ctx, it)
		if err != nil && failed == nil {
			failed = err
		}
		return w
	})
	if err == nil {
		err = failed
	}
	return out, err
}

// Same returns its argument, for lists whose items are converted a page at a time.
func Same[T any](v T) T { return v }
