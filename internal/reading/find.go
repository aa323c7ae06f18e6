package reading

import (
	"context"
	"net/url"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
)

// Addresses is a tree of pages, by address. P identifies a page, such as an id. Its zero value
// is the parent of the top-level pages.
type Addresses[P any] interface {
	// Child returns the child of a page with a slug.
	Child(ctx context.Context, parent P, slug string) (P, bool, error)
	// Address returns the address of a page: the slugs of its path, separated by slashes.
	Address(ctx context.Context, p P) (string, error)
	// Moved returns the page that had an address before it was moved or renamed. It returns
	// false if no existing page had that address.
	Moved(ctx context.Context, address string) (P, bool, error)
}

// At follows an address as far as there are pages, without redirects. It returns the last page
// on the path, and the rest of the address, which is empty if the address has a page.
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

// Find returns the page with an address, following redirects. A redirect from a former address
// of a page also applies to the addresses below it.
func Find[P any](ctx context.Context, pages Addresses[P], address string) (p P, ok bool, err error) {
	var none P
	address = strings.Trim(address, "/")
	for range docs.MaxPageDepth { // each redirect shortens the rest of the address
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

// redirect returns the page that had the longest prefix of an address, and the rest of the
// address.
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

// EscapePath escapes an address for the path of a URL.
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

// Fragment returns the fragment of a URL for an anchor, with its #. It is empty if the anchor
// is empty.
func Fragment(anchor string) string {
	if anchor == "" {
		return ""
	}
	return "#" + anchor
}

// SpaceURL returns the URL of a space for its readers. The base is the URL of the server.
func SpaceURL(base, space string) string { return base + "/s/" + space }

// PageURL returns the URL of a page by its id, which does not change when the page is moved.
func PageURL(base, space, page string) string { return SpaceURL(base, space) + "/" + page }
