package octavo_test

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// only says who may use a library: what is behind one package can be
// replaced there.
var only = map[string][]string{
	module + "internal/store/engine":      {"internal/store", "internal/store/searchrows"}, // who needs a row asks the store
	"modernc.org/sqlite":                  {"internal/store/engine", "bench"},
	"github.com/jackc/pgx":                {"internal/store/engine"},
	"database/sql":                        {"internal/store/engine", "bench"},
	"github.com/danielgtaylor/huma":       {"internal/web/api/assets", "internal/web/api/content", "internal/web/api/kernel", "internal/web/api/openapi", "internal/web/api/orgs", "internal/web/api/people", "internal/web/api/requests", "internal/web/api/sites", "internal/web/api/spaces", "internal/web/api/support", "internal/web/api/wire"},
	"github.com/alecthomas/kong":          {"cmd/octavo"},
	"github.com/prometheus/client_golang": {"internal/web/server"},
	"net/http":                            {"internal/web/api/assets", "internal/web/api/content", "internal/web/api/kernel", "internal/web/api/openapi", "internal/web/api/orgs", "internal/web/api/people", "internal/web/api/requests", "internal/web/api/sites", "internal/web/api/spaces", "internal/web/api/support", "internal/web/api/translation", "internal/web/api/wire", "internal/site/certs", "internal/site/coding", "internal/web/console", "internal/web/server", "internal/outbound", "internal/blob", "internal/content/git", "internal/site/publish/mcpserver", "internal/identity/oidc", "internal/web/preview", "internal/site/publish", "internal/site/publish/gate", "internal/identity/scim", "internal/site/theme", "cmd/octavo", "bench", "bench/hostile"},
	"github.com/klauspost/compress":       {"internal/site/coding", "internal/web/server"},
	"github.com/andybalholm/brotli":       {"internal/site/coding"},
	"github.com/wneessen/go-mail":         {"internal/identity/mail"},
	"github.com/emersion/go-smtp":         {"internal/testing/testmail"},
	"github.com/go-webauthn/webauthn":     {"internal/identity/signin"},
	"github.com/rs/cors":                  {"internal/web/server"},
	"github.com/yuin/goldmark":            {"internal/markup", "internal/markup/grammar"},
	"go.yaml.in/yaml/v3":                  {"internal/markup/yamldoc", "internal/markup/frontmatter", "internal/content/folder", "internal/openapi", "internal/site/sitefile"},
	"github.com/microcosm-cc/bluemonday":  {"internal/markup/html"},
	"github.com/alecthomas/chroma":        {"internal/markup/highlight"},
	"golang.org/x/crypto/acme":            {"internal/site/certs"},
	"golang.org/x/net":                    {"internal/markup/embeds", "internal/site/publish/export/epub", "internal/print/formula", "internal/markup", "internal/markup/html", "internal/markup/syntax", "internal/site/sites", "internal/support/topics", "internal/markup/visualdiff"},
	"github.com/dop251/goja":              {"internal/print/formula"},
	"github.com/clipperhouse/uax29":       {"internal/search"},
	"github.com/blevesearch/snowballstem": {"internal/search"},
	"github.com/minio/minio-go":           {"internal/blob"},
	"github.com/golang-jwt/jwt":           {"internal/visitor"},
	"github.com/russellhaering":           {"internal/identity/saml"},
	"github.com/coreos/go-oidc":           {"internal/identity/oidc"},
	"golang.org/x/oauth2":                 {"internal/identity/oidc"},
	"codeberg.org/go-fonts/dejavu":        {"internal/site/publish/social", "internal/print/typeface"},
	"github.com/go-text/typesetting":      {"internal/print/pdf", "internal/site/publish/social", "internal/print/typeface"},
	"github.com/modelcontextprotocol":     {"internal/site/publish/mcpserver"},
	"github.com/HugoSmits86/nativewebp":   {"internal/site/pictures"},
	"golang.org/x/text":                   {"internal/names", "internal/print/pdf", "internal/support/topics"},
}

func TestLibrariesAreBehindOnePackage(t *testing.T) {
	used := map[string]map[string]bool{}
	for file, imports := range goFiles(t) {
		pkg := path.Dir(file)
		if pkg == "." || wing(pkg) == testOnly || strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, imp := range imports {
			for lib, users := range only {
				if imp != lib && !strings.HasPrefix(imp, lib+"/") {
					continue
				}
				if used[lib] == nil {
					used[lib] = map[string]bool{}
				}
				used[lib][pkg] = true
				if !slices.Contains(users, pkg) {
					t.Errorf("%s imports %s: only %s may, so that it can be replaced in one place", file, imp, strings.Join(users, ", "))
				}
			}
		}
	}
	for lib, users := range only {
		for _, pkg := range users {
			if !used[lib][pkg] && wing(pkg) != testOnly {
				t.Errorf("%s does not import %s: remove it from libraries_test.go", pkg, lib)
			}
		}
	}
}

// modules are what the program may depend on directly. A new one needs a
// line here and in docs/adr/0002-dependencies.md: why, who keeps it, and
// what we would do without it.
var modules = []string{
	"codeberg.org/go-fonts/dejavu",
	"github.com/HugoSmits86/nativewebp",
	"github.com/alecthomas/chroma/v2",
	"github.com/alecthomas/kong",
	"github.com/andybalholm/brotli",
	"github.com/beevik/etree", // tests
	"github.com/blevesearch/snowballstem",
	"github.com/clipperhouse/uax29/v2",
	"github.com/coreos/go-oidc/v3",
	"github.com/crewjam/saml", // tests
	"github.com/danielgtaylor/huma/v2",
	"github.com/dop251/goja",      // tests
	"github.com/emersion/go-smtp", // tests
	"github.com/gabriel-vasile/mimetype",
	"github.com/go-text/typesetting",
	"github.com/go-webauthn/webauthn",
	"github.com/golang-jwt/jwt/v5",
	"github.com/jackc/pgx/v5",
	"github.com/johannesboyne/gofakes3", // tests
	"github.com/klauspost/compress",
	"github.com/microcosm-cc/bluemonday",
	"github.com/minio/minio-go/v7",
	"github.com/modelcontextprotocol/go-sdk",
	"github.com/prometheus/client_golang",
	"github.com/rogpeppe/go-internal", // tests
	"github.com/rs/cors",
	"github.com/russellhaering/gosaml2",
	"github.com/russellhaering/goxmldsig",
	"github.com/wneessen/go-mail",
	"github.com/yuin/goldmark",
	"go.yaml.in/yaml/v3",
	"golang.org/x/crypto",
	"golang.org/x/image",
	"golang.org/x/net",
	"golang.org/x/oauth2",
	"golang.org/x/sync",
	"golang.org/x/text",
	"modernc.org/sqlite",
	"pgregory.net/rapid", // tests
}

var requireLine = regexp.MustCompile(`(?m)^(?:require )?\s*(\S+) v\S+$`)

func TestDependenciesAreKnown(t *testing.T) {
	b, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	required := map[string]bool{}
	for _, m := range requireLine.FindAllStringSubmatch(string(b), -1) {
		required[m[1]] = true
		if !slices.Contains(modules, m[1]) {
			t.Errorf("go.mod requires %s, which is not in the list of known modules in libraries_test.go", m[1])
		}
	}
	for _, m := range modules {
		if !required[m] {
			t.Errorf("go.mod does not require %s: remove it from the list of known modules", m)
		}
	}
}
