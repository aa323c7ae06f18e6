package preview

import (
	"strings"
	"testing"
)

// Blocks show operations of API descriptions in the folder. They refer to a file by path,
// or to a specification by the name of its file.
func TestSpecs(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "README.md", "# Home\n\n{% openapi-operation spec=\"pets\" path=\"/pets\" method=\"get\" %}\n{% endopenapi-operation %}\n\n"+
		"{% openapi src=\"api/pets.yaml\" path=\"/cats\" method=\"get\" %}\n[pets](api/pets.yaml)\n{% endopenapi %}\n\n"+
		"{% openapi-operation spec=\"secret\" path=\"/pets\" method=\"get\" %}\n{% endopenapi-operation %}\n")
	put(t, dir, "api/pets.yaml", "openapi: 3.0.0\ninfo: {title: Pets, version: '1'}\npaths:\n  /pets: {get: {summary: List all pets, responses: {'200': {description: OK}}}}\n  /cats: {$ref: parts/cats.yaml}\n")
	put(t, dir, "api/parts/cats.yaml", "get: {summary: List all cats, responses: {'200': {description: OK}}}\n")
	put(t, dir, ".hidden/secret.yaml", "openapi: 3.0.0\ninfo: {title: Secret, version: '1'}\npaths:\n  /pets: {get: {summary: List all secrets, responses: {'200': {description: OK}}}}\n")
	page := serve(t, Config{Dir: dir}).get("/")
	for _, want := range []string{"List all pets", "List all cats", "curl"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing: %s", want, page)
		}
	}
	if strings.Contains(page, "List all secrets") {
		t.Error("a hidden file is shown")
	}
}
