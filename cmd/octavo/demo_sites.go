package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strings"

	demodocs "github.com/octavo-docs/octavo/docs/demo"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/site/customization"
	"github.com/octavo-docs/octavo/internal/site/sitefile"
	"github.com/octavo-docs/octavo/internal/web/server"
)

// The basenames of the sites, as in their files, and the page of the guide below which the reference of
// the API is.
const guideSite, productSite, referencePage = "guide", "demo", "api/reference/operations"

// siteDescription is the file of a library that describes its site.
const siteDescription = "site.yaml"

// productSchema declares the claims of visitors of the product's site.
const productSchema = `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","additionalProperties":false,"properties":{
	"unsigned":{"type":"object","description":"Unsigned claims of the site visitor.","additionalProperties":false,"properties":{
		"beta":{"type":"boolean","description":"Takes part in the beta programme."}}}}}`

// demoURL returns the URL of a demonstration site.
func demoURL(srv *server.Server, basename string) string {
	return srv.Sites.Hosts.URL(docs.Publication{Basename: basename}, "")
}

// complete reports whether both sites are published.
func (f *filling) complete(ctx context.Context) (bool, error) {
	for _, name := range []string{guideSite, productSite} {
		if site, err := f.api.find(ctx, name); err != nil || !site.Published {
			return false, err
		}
	}
	return true, nil
}

// publish makes the sites what their files say. Both are published at the end, see filling.
func (f *filling) publish(ctx context.Context) error {
	if err := f.applySites(ctx, false); err != nil {
		return err
	}
	site, err := f.api.find(ctx, productSite)
	if err != nil {
		return err
	}
	schema := map[string]any{"jsonSchema": json.RawMessage(productSchema)}
	if err := f.api.do(ctx, "PUT", apiPath("orgs", f.api.org, "sites", site.ID, "adaptive-schema"), schema, nil); err != nil {
		return err
	}
	if err := f.translateLook(ctx, site.ID); err != nil {
		return err
	}
	return f.applySites(ctx, true)
}

func (f *filling) applySites(ctx context.Context, published bool) error {
	for _, l := range f.libraries {
		if err := f.applySite(ctx, l, published); err != nil {
			return fmt.Errorf("%s of %s: %w", siteDescription, l.books[0].space.Title, err)
		}
	}
	return nil
}

// applySite makes a site what the file of its library says.
func (f *filling) applySite(ctx context.Context, l *library, published bool) error {
	src, err := l.files.ReadFile(siteDescription)
	if err != nil {
		return err
	}
	file, err := sitefile.Parse([]byte(f.withPages(ctx, l, string(src))))
	if err != nil {
		return err
	}
	if !published {
		file.Publish = nil
	}
	current, known, err := f.api.read(ctx, file.Site, false)
	if err == nil {
		err = file.Resolve(known)
	}
	if err != nil {
		return err
	}
	steps, err := sitefile.Plan(current, file)
	if err != nil {
		return err
	}
	return f.api.apply(ctx, io.Discard, steps)
}

// pageInFile matches a link in the file of a site that names a page by its file, such as
// to: en/faq.md.
var pageInFile = regexp.MustCompile(`\bto: (\w+)/([\w/.-]+\.md)\b`)

// withPages returns the file of a site with ids of pages instead of their files.
func (f *filling) withPages(ctx context.Context, l *library, text string) string {
	return pageInFile.ReplaceAllStringFunc(text, func(link string) string {
		m := pageInFile.FindStringSubmatch(link)
		b := l.book(m[1])
		if b == nil {
			return link
		}
		id, ok := f.pageOf(ctx, b, m[2])
		if !ok {
			return link
		}
		return fmt.Sprintf("to: {kind: page, page: %s, space: %s}", id, b.made.ID)
	})
}

// translateLook lets the header and the footer of each translation lead to its own pages, where it
// has them.
func (f *filling) translateLook(ctx context.Context, site string) error {
	l := f.libraries[len(f.libraries)-1]
	src, err := l.files.ReadFile(siteDescription)
	if err != nil {
		return err
	}
	var there struct{ Structure []itemJSON }
	if err := f.api.do(ctx, "GET", apiPath("orgs", f.api.org, "sites", site, "structure"), nil, &there); err != nil {
		return err
	}
	for _, book := range demodocs.Books {
		if book.Language == "en" {
			continue
		}
		own := pageInFile.ReplaceAllStringFunc(string(src), func(link string) string {
			other := strings.Replace(link, "to: en/", "to: "+book.Folder+"/", 1)
			if _, err := fs.Stat(l.files, strings.TrimPrefix(other, "to: ")); err != nil {
				return link
			}
			return other
		})
		file, err := sitefile.Parse([]byte(f.withPages(ctx, l, own)))
		if err != nil {
			return err
		}
		for _, section := range there.Structure {
			for _, v := range section.SiteSpaces {
				if v.Space.ID != string(l.book(book.Folder).made.ID) {
					continue
				}
				at := apiPath("orgs", f.api.org, "sites", site, "site-spaces", v.ID, "customization")
				links, err := linksOf(file)
				if err == nil {
					err = f.api.do(ctx, "PATCH", at, links, nil)
				}
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// linksOf returns the links in the header and the footer of the file of a site.
func linksOf(file *sitefile.File) (map[string]any, error) {
	b, err := customization.Override{}.With(*file.Customization).MarshalJSON()
	if err != nil {
		return nil, err
	}
	var look struct {
		Header struct{ Links any }
		Footer struct{ Groups any }
	}
	err = json.Unmarshal(b, &look)
	return map[string]any{"header": map[string]any{"links": look.Header.Links}, "footer": map[string]any{"groups": look.Footer.Groups}}, err
}
