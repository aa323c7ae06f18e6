package octavo_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/octavo-docs/octavo/"

// layers says which packages of the project a package may import: those of
// the layers below its own, and the ones named in besides. A package that is
// in no layer fails the test, so a new one finds its place.
var layers = [][]string{
	{"docs/manual", "internal/site/publish/acceptlanguage", "internal/cache", "internal/site/coding", "internal/budget/costly", "internal/docs/emoji", "internal/errs", "internal/markup/inline", "internal/jsontext", "internal/markup/lis", "internal/names", "internal/opt", "internal/store/owner", "internal/markup/packed", "internal/web/server/readyconn", "internal/site/sites/rison", "internal/site/publish/rss", "internal/print/svg", "internal/print/typeface", "internal/markup/yamldoc"},
	{"internal/budget"},
	{"internal/chunk", "internal/expr", "internal/print/formula", "internal/markup/icons", "internal/openapi", "internal/search", "internal/print/pdf/twemoji", "internal/outbound"},
	{"internal/docs"},
	{"internal/site/adaptive", "internal/identity/challenge", "internal/site/customization", "internal/markup/embeds", "internal/site/theme/fonts", "internal/markup/frontmatter", "internal/support/helpdesk", "internal/identity/mail", "internal/identity/saml", "internal/support/topics", "internal/visitor"},
	{"internal/markup", "internal/site/sitefile"},
	{"internal/openapi/apidoc", "internal/site/publish/epub", "internal/content/folder", "internal/content/git", "internal/print/pdf", "internal/reading", "internal/openapi/reference", "internal/site/publish/social", "internal/site/publish/staticindex", "internal/site/theme", "internal/translation/translate", "internal/markup/visualdiff"},
	{"internal/store", "internal/blob", "internal/site/publish/mcpserver"},
	{"internal/authz", "internal/seal"},
	{"internal/audit", "internal/jobs"},
	{"internal/openapi/apispec", "internal/assets", "internal/site/certs", "internal/identity/orgs", "internal/site/sites", "internal/webhooks"},
	{"internal/identity/inbox", "internal/content/revision", "internal/identity/signin"},
	{"internal/site/publish/edition", "internal/site/explain", "internal/content/index", "internal/site/insights", "internal/content/merge", "internal/identity/oidc", "internal/identity/sso"},
	{"internal/content/exchange"},
	{"internal/content"}, // a space begins and is copied as content
	{"internal/content/comments"},
	{"internal/content/reviews"},
	{"internal/content/apireview", "internal/support/conversations", "internal/content/gitsync"},
	{"internal/spaces"}, // merge rules and people are the organization's: spaces asks orgs, never the other way
	{"internal/translation/translations"},
	{"internal/web/api", "internal/web/console", "internal/site/publish", "internal/identity/scim"},
	{"internal/web/server", "internal/web/preview"},
	{"cmd/octavo", "bench", "bench/hostile", "scripts/gotest"},
}

// testOnly packages may be imported by tests alone.
var testOnly = map[string]bool{"internal/testing/golden": true, "internal/testing/testcpu": true, "internal/testing/testdb": true, "internal/testing/testdns": true, "internal/testing/testgit": true, "internal/testing/testmail": true, "internal/testing/testrapid": true, "internal/testing/testsaml": true, "internal/testing/testsaml/idp": true, "internal/testing/testspace": true}

// only says who may use a library: what is behind one package can be
// replaced there.
var only = map[string][]string{
	"modernc.org/sqlite":                  {"internal/store", "bench"},
	"github.com/jackc/pgx":                {"internal/store", "internal/testing/testdb"},
	"database/sql":                        {"internal/store", "internal/testing/testdb", "bench"},
	"github.com/danielgtaylor/huma":       {"internal/web/api"},
	"github.com/alecthomas/kong":          {"cmd/octavo"},
	"github.com/prometheus/client_golang": {"internal/web/server"},
	"net/http":                            {"internal/web/api", "internal/site/certs", "internal/site/coding", "internal/web/console", "internal/web/server", "internal/outbound", "internal/blob", "internal/content/git", "internal/site/publish/mcpserver", "internal/identity/oidc", "internal/web/preview", "internal/site/publish", "internal/web/server/readyconn", "internal/identity/scim", "internal/site/theme", "cmd/octavo", "bench", "bench/hostile"},
	"github.com/klauspost/compress":       {"internal/site/coding", "internal/web/server"},
	"github.com/andybalholm/brotli":       {"internal/site/coding"},
	"github.com/wneessen/go-mail":         {"internal/identity/mail"},
	"github.com/emersion/go-smtp":         {"internal/testing/testmail"},
	"github.com/go-webauthn/webauthn":     {"internal/identity/signin"},
	"github.com/rs/cors":                  {"internal/web/server"},
	"github.com/yuin/goldmark":            {"internal/markup"},
	"go.yaml.in/yaml/v3":                  {"internal/markup/yamldoc", "internal/markup/frontmatter", "internal/content/folder", "internal/openapi", "internal/site/sitefile"},
	"github.com/microcosm-cc/bluemonday":  {"internal/markup"},
	"github.com/alecthomas/chroma":        {"internal/markup"},
	"golang.org/x/crypto/acme":            {"internal/site/certs"},
	"golang.org/x/net":                    {"internal/markup/embeds", "internal/site/publish/epub", "internal/print/formula", "internal/markup", "internal/site/sites", "internal/support/topics", "internal/markup/visualdiff"},
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
	"golang.org/x/text":                   {"internal/names", "internal/print/pdf", "internal/support/topics"},
}

func TestImportsGoDownward(t *testing.T) {
	rank := map[string]int{}
	for i, l := range layers {
		for _, p := range l {
			rank[p] = i
		}
	}
	used := map[string]map[string]bool{}
	exist := map[string]bool{}
	for file, imports := range goFiles(t) {
		pkg := path.Dir(file)
		exist[pkg] = true
		test := strings.HasSuffix(file, "_test.go")
		if pkg == "." || testOnly[pkg] {
			continue
		}
		mine, placed := rank[pkg]
		if !placed {
			t.Errorf("%s: the package %s is in no layer; give it its place in layers_test.go", file, pkg)
			continue
		}
		for _, imp := range imports {
			if test {
				continue // tests may start a whole server
			}
			if own, ok := strings.CutPrefix(imp, module); ok {
				theirs, placed := rank[own]
				switch {
				case testOnly[own]:
					t.Errorf("%s imports %s, which is for tests only", file, own)
				case placed && theirs >= mine && own != pkg:
					t.Errorf("%s imports %s, which is not below it: what lower packages know must not depend on who uses them; move the shared part down", file, own)
				}
				continue
			}
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
	for pkg := range rank {
		if !exist[pkg] {
			t.Errorf("there is no package %s: remove it from layers_test.go", pkg)
		}
	}
	for lib, users := range only {
		for _, pkg := range users {
			if !used[lib][pkg] && !testOnly[pkg] {
				t.Errorf("%s does not import %s: remove it from layers_test.go", pkg, lib)
			}
		}
	}
}

// withoutPermission are the methods of services that open a transaction without asking
// for the permission again. No request calls them: they are jobs, commands of the
// operator, and steps after the permission was checked.
var withoutPermission = map[string]bool{
	"apispec.Service.begin":               true,
	"apispec.Service.finish":              true,
	"apispec.Service.recheck":             true,
	"assets.Service.Tidy":                 true,
	"content.Service.countSpace":          true,
	"conversations.Service.apply":         true,
	"conversations.Service.storeImproved": true,
	"conversations.Service.storeIssues":   true,
	"gitsync.Service.Hook":                true,
	"gitsync.Service.QueueExport":         true,
	"gitsync.Service.giveUp":              true,
	"gitsync.Service.poll":                true,
	"gitsync.task.fail":                   true,
	"gitsync.task.saveUnchecked":          true,
	"inbox.Service.Send":                  true,
	"inbox.Service.Tidy":                  true,
	"inbox.Service.Unsubscribe":           true,
	"inbox.Service.notify":                true,
	"index.Bulk.begin":                    true,
	"index.Bulk.discard":                  true,
	"index.Bulk.pack":                     true,
	"index.Bulk.store":                    true,
	"index.Index.TidySearch":              true,
	"index.Index.finishRebuild":           true,
	"insights.Service.Flush":              true,
	"insights.Service.Tidy":               true,
	"orgs.Service.Bootstrap":              true,
	"orgs.Service.CreateTokenFor":         true,
	"orgs.Service.CreateUser":             true,
	"orgs.Service.DeleteByOperator":       true,
	"orgs.Service.DeleteUser":             true,
	"orgs.Service.Erase":                  true,
	"orgs.Service.RestoreByOperator":      true,
	"orgs.Service.RevokeByOperator":       true,
	"orgs.Service.SetQuotasByOperator":    true,
	"orgs.Service.purgeAll":               true,
	"orgs.Service.purgeRest":              true,
	"orgs.Service.scrub":                  true,
	"sites.Service.checkProxies":          true,
	"sites.Service.recheck":               true,
	"spaces.Service.Purge":                true,
	"sso.Service.Finish":                  true,
	"sso.Service.Start":                   true,
	"sso.Service.storeIdentity":           true,
	"sso.Service.storeRefusal":            true,
	"translations.Service.begin":          true,
	"translations.Service.finish":         true,
	"translations.Service.finishImport":   true,
	"translations.Service.storeMemory":    true,
	"translations.Service.storeProgress":  true,
	"translations.run.keep":               true,
	"translations.run.open":               true,
	"translations.run.write":              true,
	"webhooks.Dispatcher.FanOut":          true,
	"webhooks.Dispatcher.claim":           true,
	"webhooks.Service.Tidy":               true,
	"webhooks.leasedWebhook.attempt":      true,
	"webhooks.leasedWebhook.renew":        true,
	"webhooks.leasedWebhook.run":          true,
}

// services are the packages that change the store for people.
var services = []string{
	"internal/content/apireview",
	"internal/openapi/apispec",
	"internal/assets",
	"internal/content/comments",
	"internal/content",
	"internal/support/conversations",
	"internal/content/exchange",
	"internal/content/gitsync",
	"internal/identity/inbox",
	"internal/content/index",
	"internal/site/insights",
	"internal/content/merge",
	"internal/identity/orgs",
	"internal/content/reviews",
	"internal/site/sites",
	"internal/spaces",
	"internal/identity/sso",
	"internal/translation/translations",
	"internal/webhooks",
}

// TestServicesAskAgainInsideTheTransaction fails for a service that changes the store
// without authz.InTx or authz.Do, which check the permission inside the transaction.
func TestServicesAskAgainInsideTheTransaction(t *testing.T) {
	used := map[string]bool{}
	for _, pkg := range services {
		files, err := filepath.Glob(pkg + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files: %v", pkg, len(files), err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, name := range openTransactions(t, file) {
				name = path.Base(pkg) + "." + name
				used[name] = true
				if !withoutPermission[name] {
					t.Errorf("%s: %s opens a transaction without authz.InTx or authz.Do", file, name)
				}
			}
		}
	}
	for name := range withoutPermission {
		if !used[name] {
			t.Errorf("%s opens no transaction: remove it from withoutPermission", name)
		}
	}
}

// openTransactions returns the functions of a file that open a transaction directly, as
// Type.method or name.
func openTransactions(t *testing.T, file string) (names []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range parsed.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		opens := false
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				opens = opens || opensTransaction(sel)
			}
			return !opens
		})
		if !opens {
			continue
		}
		name := fn.Name.Name
		if fn.Recv != nil {
			of := fn.Recv.List[0].Type
			if ptr, ok := of.(*ast.StarExpr); ok {
				of = ptr.X
			}
			name = of.(*ast.Ident).Name + "." + name
		}
		names = append(names, name)
	}
	return names
}

// opensTransaction reports whether a selector is one of the functions of the store that
// open a transaction: store.InTx, or a method of a field Store.
func opensTransaction(sel *ast.SelectorExpr) bool {
	switch of := sel.X.(type) {
	case *ast.Ident:
		return of.Name == "store" && strings.HasPrefix(sel.Sel.Name, "InTx") ||
			of.Name == "Store" && isDo(sel.Sel.Name)
	case *ast.SelectorExpr:
		return of.Sel.Name == "Store" && isDo(sel.Sel.Name)
	}
	return false
}

func isDo(name string) bool { return name == "Do" || name == "DoLocked" || name == "DoQueued" }

// storeValues are what internal/web/api may know of the store: values that
// services take and return.
var storeValues = map[string]bool{
	"List": true, "Page": true, "Key": true, "Ranked": true, "SearchPlace": true, "PlaceOf": true, "Unresolved": true,
	"MemberFilter": true, "CommentFilter": true, "SiteFilter": true, "RedirectFilter": true, "RedirectOrder": true, "ChangeRequestFilter": true,
	"OrgAccess": true, "MemberTeam": true, "UserGrant": true, "TeamGrant": true, "ChangeRequestIn": true, "AuditRow": true, "AuditFilter": true, "AnyOrg": true,
	"IssueFilter": true, "IssueIn": true, "ClusterFilter": true, "ClusterOrder": true, "ClusterStatus": true, "SiteQuestion": true, "QuestionSums": true,
}

// Handlers read and write through services, which know the rules. The API has
// no store, and does not borrow that of a service.
func TestTheAPIReachesTheStoreThroughServices(t *testing.T) {
	files, err := filepath.Glob("internal/web/api/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	used := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			of, _ := sel.X.(*ast.Ident)
			switch {
			case of != nil && of.Name == "store":
				used[sel.Sel.Name] = true
				if !storeValues[sel.Sel.Name] {
					t.Errorf("%s uses store.%s: let a service do it", set.Position(n.Pos()), sel.Sel.Name)
				}
			case (sel.Sel.Name == "Store" || sel.Sel.Name == "Reader") && (of == nil || of.Name != "io"):
				t.Errorf("%s uses the store of a service: give the service a method for it", set.Position(n.Pos()))
			}
			return true
		})
	}
	for name := range storeValues {
		if !used[name] {
			t.Errorf("internal/web/api does not use store.%s: remove it from storeValues", name)
		}
	}
}

// modules are what the program may depend on directly. A new one needs a
// line here and in docs/adr/0002-dependencies.md: why, who keeps it, and
// what we would do without it.
var modules = []string{
	"codeberg.org/go-fonts/dejavu",
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
			t.Errorf("go.mod requires %s, which is not in the list of known modules in layers_test.go", m[1])
		}
	}
	for _, m := range modules {
		if !required[m] {
			t.Errorf("go.mod does not require %s: remove it from the list of known modules", m)
		}
	}
}

// A file that nobody reads in one sitting has a second idea in it.
func TestFilesStaySmall(t *testing.T) {
	for _, file := range slices.Sorted(maps.Keys(goFiles(t))) {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(b), "\n"); n > 700 {
			t.Errorf("%s has %d lines", file, n)
		}
	}
}

// goFiles returns the imports of every Go file of the project.
func goFiles(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	err := eachFile(func(file string) error {
		if !strings.HasSuffix(file, ".go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		imports := []string{}
		for _, i := range f.Imports {
			name, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			imports = append(imports, name)
		}
		out[file] = imports
		return nil
	})
	if err != nil || len(out) < 20 {
		t.Fatalf("%d Go files found: %v", len(out), err)
	}
	return out
}

// eachFile calls fn with every file of the project but test data and what is
// installed.
func eachFile(fn func(file string) error) error {
	return filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && p != "." || d.Name() == "node_modules" || d.Name() == "testdata" || d.Name() == "data") {
			return filepath.SkipDir
		}
		if d.IsDir() {
			return nil
		}
		return fn(filepath.ToSlash(p))
	})
}
