package octavo_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

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
	"gitsync.task.unchecked":              true,
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
	"orgs.Accounts.Erase":                 true,
	"orgs.Accounts.scrub":                 true,
	"orgs.Operator.Bootstrap":             true,
	"orgs.Operator.CreateToken":           true,
	"orgs.Operator.CreateUser":            true,
	"orgs.Operator.DeleteOrganization":    true,
	"orgs.Operator.DeleteUser":            true,
	"orgs.Operator.RestoreOrganization":   true,
	"orgs.Operator.RevokeToken":           true,
	"orgs.Operator.SetQuotas":             true,
	"orgs.Organizations.purgeAll":         true,
	"orgs.Organizations.purgeRest":        true,
	"sites.Hostnames.checkProxies":        true,
	"sites.Hostnames.recheck":             true,
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
// open a transaction: store.InTx, or a method of a field Store or store.
func opensTransaction(sel *ast.SelectorExpr) bool {
	switch of := sel.X.(type) {
	case *ast.Ident:
		return of.Name == "store" && strings.HasPrefix(sel.Sel.Name, "InTx") ||
			of.Name == "Store" && isDo(sel.Sel.Name)
	case *ast.SelectorExpr:
		return strings.EqualFold(of.Sel.Name, "store") && isDo(sel.Sel.Name)
	}
	return false
}

func isDo(name string) bool { return name == "Do" || name == "DoLocked" || name == "DoQueued" }

// storeValues are what the packages of internal/web/api may know of the store: values that
// services take and return.
var storeValues = map[string]bool{
	"List": true, "Page": true, "Key": true, "Ranked": true, "searchrows.Place": true, "searchrows.PlaceOf": true, "Unresolved": true,
	"MemberFilter": true, "CommentFilter": true, "SiteFilter": true, "RedirectFilter": true, "RedirectOrder": true, "ChangeRequestFilter": true,
	"OrgAccess": true, "MemberTeam": true, "UserGrant": true, "TeamGrant": true, "ChangeRequestIn": true, "AuditRow": true, "AuditFilter": true, "AnyOrg": true,
	"IssueFilter": true, "IssueIn": true, "ClusterFilter": true, "ClusterOrder": true, "ClusterStatus": true, "SiteQuestion": true, "QuestionSums": true,
}

// Handlers read and write through services, which know the rules. The API has
// no store, and does not borrow that of a service.
func TestTheAPIReachesTheStoreThroughServices(t *testing.T) {
	used := map[string]bool{}
	for file := range goFiles(t) {
		if !strings.HasPrefix(file, "internal/web/api/") || strings.HasSuffix(file, "_test.go") {
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
			case of != nil && (of.Name == "store" || of.Name == "searchrows"):
				name := of.Name + "." + sel.Sel.Name
				used[name] = true
				if !storeValues[strings.TrimPrefix(name, "store.")] {
					t.Errorf("%s uses %s: let a service do it", set.Position(n.Pos()), name)
				}
			case (sel.Sel.Name == "Store" || sel.Sel.Name == "Reader") && (of == nil || of.Name != "io"):
				t.Errorf("%s uses the store of a service: give the service a method for it", set.Position(n.Pos()))
			}
			return true
		})
	}
	for name := range storeValues {
		if !used[name] && !used["store."+name] {
			t.Errorf("the API does not use %s of the store: remove it from storeValues", name)
		}
	}
}
