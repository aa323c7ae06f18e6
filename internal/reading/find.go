package reading

import (
	"context"
	"net/url"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
)

// Addresses is a tree of pages as addresses see it. P names a page, such as
// an id; its zero value is above the top level.
type Addresses[P any] interface {
	// Child returns the page with a slug below another one.
	Child(ctx context.Context, parent P, slug string) (P, bool, error)
	// Address returns where a page is: slugs with slashes between them.
	Address(ctx context.Context, p P) (string, error)
	// Moved returns the page that had an address before it was moved or
	// renamed; false if no page that still exists had it.
	Moved(ctx context.Context, address string) (P, bool, error)
}

// At returns the page with an address, without regard to redirects, and the
// part of the address that leads on from there to nothing.
func At[P any](ctx context.Context, pages Addresses[P], address string) (p P, rest string, err error) {
	rest = strings.Trim(address, "/")
	for rest != "" {
		slug, below, _ := strings.Cut(rest, "/")
		child, ok, err := pages.Child(ctx, p, slug)
		if err != nil || !ok {
			return p, rest, err
		}
		p, rest = child, below
	}
	return p, "", nil
}

// Find returns the page with an address, or the page that had it before, or
// the one that is below a page that had the beginning of the address.
func Find[P any](ctx context.Context, pages Addresses[P], address string) (p P, ok bool, err error) {
	var none P
	address = strings.Trim(address, "/")
	for range docs.MaxPageDepth { // each redirect leaves a shorter rest of the address to follow
		p, rest, err := At(ctx, pages, address)
		if err != nil || rest == "" {
			return p, err == nil, err
		}
		moved, below, ok, err := redirect(ctx, pages, address)
		if err != nil || !ok {
			return none, false, err
		}
		if below == "" {
			return moved, true, nil
		}
		to, err := pages.Address(ctx, moved)
		if err != nil {
			return none, false, err
		}
		address = to + "/" + below
	}
	return none, false, nil
}

// redirect returns the page that had the longest beginning of an address, and
// the rest of the address.
func redirect[P any](ctx context.Context, pages Addresses[P], address string) (p P, rest string, ok bool, err error) {
	for head := address; head != ""; {
		p, ok, err := pages.Moved(ctx, head)
		if err != nil || ok {
			return p, strings.Trim(address[len(head):], "/"), ok, err
		}
		head = head[:max(0, strings.LastIndexByte(head, '/'))]
	}
	return p, "", false, nil
}

// EscapePath writes an address as the path of a URL.
func EscapePath(address string) string {
	for i := range len(address) {
		if c := address[i]; !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '/' || c >= 'A' && c <= 'Z' || c == '_' || c == '.') {
			parts := strings.Split(address, "/")
			for i, s := range parts {
				parts[i] = url.PathEscape(s)
			}
			return strings.Join(parts, "/")
		}
	}
	return address
}

// Fragment returns what leads from the address of a page to an anchor of it; nothing if there is
// none.
func Fragment(anchor string) string {
	if anchor == "" {
		return ""
	}
	return "#" + anchor
}

// SpaceURL returns the address of a space on the server with a base address,
// for people who read it.
func SpaceURL(base, space string) string { return base + "/s/" + space }

// PageURL returns the address of a page by its id, which stays when the page
// is moved.
func PageURL(base, space, page string) string { return SpaceURL(base, space) + "/" + page }
