package preview

import (
	"context"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/openapi"
	"github.com/octavo-docs/octavo/internal/openapi/apidoc"
)

// specs returns a function that finds API descriptions in the folder. A specification
// that a server identifies by name is the file of that name. Descriptions at external
// addresses are not fetched.
func (s *Server) specs(ctx context.Context, now *site) apidoc.Find {
	known := map[docs.Ref]*openapi.Description{}
	return func(ref docs.Ref) *openapi.Description {
		if d, ok := known[ref]; ok {
			return d
		}
		var d *openapi.Description
		if name := now.specFile(ref); name != "" {
			// If a description cannot be parsed, the page is shown without it.
			d, _ = s.described.Get(ctx, now.specs+":"+name, func() (openapi.Bundle, error) {
				return openapi.Gather(name, func(name string) ([]byte, error) {
					if _, scanned := now.scanned[name]; !scanned {
						return nil, fs.ErrNotExist
					}
					return s.bytes(ctx, name)
				})
			})
		}
		known[ref] = d
		return d
	}
}

// specFile returns the path of an API description in the folder, or "".
func (s *site) specFile(ref docs.Ref) string {
	switch ref.Kind {
	case docs.RefFile:
		if name := path.Join(s.tree.Root, ref.File); s.scanned[name].size > 0 {
			return name
		}
	case docs.RefOpenAPI:
		var found []string
		for name := range s.scanned {
			base := path.Base(name)
			if ext := path.Ext(base); slices.Contains([]string{".yaml", ".yml", ".json"}, ext) && strings.TrimSuffix(base, ext) == ref.Spec {
				found = append(found, name)
			}
		}
		if len(found) > 0 {
			return slices.Min(found)
		}
	}
	return ""
}

// bytes returns the content of a file of the folder, up to openapi.MaxBytes+1 bytes.
func (s *Server) bytes(ctx context.Context, name string) ([]byte, error) {
	a, err := s.src.asset(ctx, name)
	if err != nil {
		return nil, err
	}
	defer a.close()
	return io.ReadAll(io.LimitReader(a, openapi.MaxBytes+1))
}
