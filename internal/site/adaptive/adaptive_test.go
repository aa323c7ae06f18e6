package adaptive_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/expr"
	"github.com/octavo-docs/octavo/internal/site/adaptive"
)

const example = `{
	"$schema": "http://json-schema.org/draft-07/schema#",
	"type": "object",
	"properties": {
		"isBeta": {"type": "boolean", "description": "Beta user"},
		"plan": {"type": "string", "enum": ["free", "pro \"plus\""], "description": "Plan"},
		"name": {"type": "string", "description": "Name"},
		"seats": {"type": "number", "description": "Seats"},
		"groups": {"type": "array", "description": "Groups", "items": {"type": "string", "enum": ["a", "b"], "description": "Group"}},
		"tags": {"type": "array", "description": "Tags", "items": {"type": "string", "description": "Tag"}},
		"company": {"type": "object", "description": "Company", "additionalProperties": false, "properties": {
			"is-big": {"type": "boolean", "description": "Big company"}}},
		"unsigned": {"type": "object", "description": "Unsigned claims of the site visitor.", "additionalProperties": false, "properties": {
			"lang": {"type": "string", "enum": ["go", "7"], "description": "Language"},
			"dark": {"type": "boolean", "description": "Dark"},
			"nick": {"type": "string", "description": "Nick"},
			"age": {"type": "number", "description": "Age"},
			"likes": {"type": "array", "description": "Likes", "items": {"type": "number", "description": "Like"}},
			"user": {"type": "object", "description": "User", "additionalProperties": false, "properties": {"plan": {"type": "string", "description": "Plan"}}}}}
	},
	"additionalProperties": false
}`

func schema(t testing.TB) *adaptive.Schema {
	t.Helper()
	s, err := adaptive.Parse("body.jsonSchema", []byte(example))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestASchemaIsReturnedAsItWasWritten(t *testing.T) {
	b, err := json.Marshal(schema(t))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(b), `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"isBeta":{"type"`) {
		t.Errorf("%s", b)
	}
	if again, err := adaptive.Parse("x", b); err != nil || !reflect.DeepEqual(again, schema(t)) {
		t.Errorf("%v", err)
	}
}

func TestParseNamesThePlace(t *testing.T) {
	in := func(property string) string {
		return `{"type":"object","additionalProperties":false,"properties":{"x":` + property + `}}`
	}
	named := func(name string) string {
		return `{"type":"object","additionalProperties":false,"properties":{` + name + `:{"type":"boolean","description":"d"}}}`
	}
	deep := `{"type":"boolean","description":"d"}`
	for range adaptive.MaxDepth {
		deep = `{"type":"object","description":"d","additionalProperties":false,"properties":{"x":` + deep + `}}`
	}
	many := []string{}
	for i := range adaptive.MaxProperties + 1 {
		many = append(many, fmt.Sprintf(`"p%d":{"type":"boolean","description":"d"}`, i))
	}
	values := strings.Repeat(`"v",`, adaptive.MaxValues) + `"w"`
	const x = "s.properties.x"
	for _, test := range []struct{ source, place string }{
		{``, "s"}, {`[]`, "s"}, {`null`, "s"}, {`{`, "s"}, {"\"\xff\"", "s"},
		{strings.Repeat(" ", adaptive.MaxBytes+1), "s"},
		{`{}`, "s.type"}, {`{"type":"array"}`, "s.type"}, {`{"type":5}`, "s.type"},
		{`{"type":"object"}`, "s.additionalProperties"},
		{`{"type":"object","properties":{},"additionalProperties":true}`, "s.additionalProperties"},
		{`{"type":"object","additionalProperties":false}`, "s.properties"},
		{`{"type":"object","additionalProperties":false,"properties":[]}`, "s.properties"},
		{`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{},"additionalProperties":false}`, "s.$schema"},
		{`{"type":"object","properties":{},"additionalProperties":false,"$defs":{}}`, "s.$defs"},
		{`{"type":"object","properties":{},"additionalProperties":false,"required":["x"]}`, "s.required"},
		{`{"type":"object","type":"object","properties":{},"additionalProperties":false}`, "s.type"},
		{`{"$ref":"#/x"}`, "s.$ref"},
		{in(`true`), x}, {in(`{}`), x + ".type"}, {in(`{"type":"integer","description":"d"}`), x + ".type"},
		{in(`{"type":["string","null"],"description":"d"}`), x + ".type"},
		{in(`{"type":"boolean"}`), x + ".description"}, {in(`{"type":"boolean","description":null}`), x + ".description"},
		{in(`{"type":"boolean","description":"` + strings.Repeat("d", adaptive.MaxDescription+1) + `"}`), x + ".description"},
		{in(`{"type":"boolean","description":"d","default":true}`), x + ".default"},
		{in(`{"type":"boolean","description":"d","enum":["a"]}`), x + ".enum"},
		{in(`{"type":"string","description":"d","pattern":"(a+)+$"}`), x + ".pattern"},
		{in(`{"type":"string","description":"d","enum":[]}`), x + ".enum"},
		{in(`{"type":"string","description":"d","enum":[1]}`), x + ".enum"},
		{in(`{"type":"string","description":"d","enum":["a",null]}`), x + ".enum"},
		{in(`{"type":"string","description":"d","enum":["a","a"]}`), x + ".enum[1]"},
		{in(`{"type":"string","description":"d","enum":["a\u0000"]}`), x + ".enum[0]"},
		{in(`{"type":"string","description":"d","enum":["` + strings.Repeat("é", adaptive.MaxValue+1) + `"]}`), x + ".enum[0]"},
		{in(`{"type":"string","description":"d","enum":[` + values + `]}`), x + ".enum"},
		{in(`{"$ref":"http://10.0.0.1/","type":"boolean","description":"d"}`), x + ".$ref"},
		{in(`{"type":"array","description":"d"}`), x + ".items"},
		{in(`{"type":"array","description":"d","items":{"type":"boolean"}}`), x + ".items.description"},
		{in(`{"type":"array","description":"d","items":{"type":"array","description":"d","items":{}}}`), x + ".items.type"},
		{in(`{"type":"array","description":"d","items":{"$ref":"x"}}`), x + ".items.$ref"},
		{in(`{"type":"object","description":"d","properties":{}}`), x + ".additionalProperties"},
		{in(`{"type":"object","description":"d","additionalProperties":false,"properties":{"y":{"type":"number"}}}`), x + ".properties.y.description"},
		{in(deep), x + strings.Repeat(".properties.x", adaptive.MaxDepth)},
		{`{"type":"object","additionalProperties":false,"properties":{"unsigned":{"type":"boolean","description":"d"}}}`, "s.properties.unsigned"},
		{`{"type":"object","additionalProperties":false,"properties":{` + strings.Join(many, ",") + `}}`, "s.properties"},
		{named(`"__proto__"`), "s.properties.__proto__"}, {named(`"constructor"`), "s.properties.constructor"},
		{named(`"\u005f_proto__"`), "s.properties.__proto__"}, {named(`"length"`), "s.properties.length"},
		{named(`"a.b"`), "s.properties.a.b"}, {named(`""`), "s.properties."}, {named(`"$ref"`), "s.properties.$ref"},
		{named(`"a\nb"`), "s.properties.a\nb"},
	} {
		var e *errs.Error
		_, err := adaptive.Parse("s", []byte(test.source))
		if !errors.As(err, &e) || e.Kind != errs.Invalid || len(e.Details) != 1 || e.Details[0].Path != test.place {
			t.Errorf("%.120s: %v, want an error at %s", test.source, err, test.place)
		}
	}
}

func TestVisitorsCannotSetSignedClaims(t *testing.T) {
	s := schema(t)
	query, err := url.ParseQuery("visitor.isBeta=true&visitor.unsigned.dark=true&visitor.__proto__.isBeta=true&visitor.constructor.prototype.x=1" +
		"&visitor.dark=true&visitor.lang=7&visitor.nick=42&visitor.age=old&visitor.user.plan=pro&visitor.user.role=admin&visitor.user.__proto__.x=1" +
		"&visitor.likes=1&visitor.other=x&visitor.=x&q=visitor.dark&visitor.a.b.c.d.e.f.g=1")
	if err != nil {
		t.Fatal(err)
	}
	signed := map[string]any{"isBeta": false, "undeclared": "kept", "unsigned": map[string]any{"dark": false, "evil": true}, "__proto__": map[string]any{"x": 1.0}}
	got := s.Claims(signed, adaptive.Unsigned(query, nil))
	want := map[string]any{
		"isBeta": false, "undeclared": "kept",
		"unsigned": map[string]any{"dark": true, "lang": "7", "nick": "42", "user": map[string]any{"plan": "pro"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("claims are %v, want %v", got, want)
	}
	var none *adaptive.Schema
	if got := none.Claims(signed, adaptive.Unsigned(query, nil)); len(got["unsigned"].(map[string]any)) != 0 {
		t.Errorf("without a schema: %v", got)
	}
}

func TestUnsignedClaims(t *testing.T) {
	for _, test := range []struct{ query, cookies, want string }{
		{"visitor.a=true&visitor.b=false&visitor.c=null", "", `{"a":true,"b":false,"c":null}`},
		{"visitor.a=1&visitor.b=-2.5&visitor.c=1e3&visitor.d=007&visitor.e=0x1&visitor.f=NaN&visitor.g=Inf&visitor.h=", "", `{"a":1,"b":-2.5,"c":"1e3","d":"007","e":"0x1","f":"NaN","g":"Inf","h":""}`},
		{"visitor.a=%7B%22b%22%3A%7B%22c%22%3A1%2C%22__proto__%22%3A2%7D%7D&visitor.b=%7Bbroken&visitor.c=%5B1%5D", "", `{"a":{"b":{"c":1}},"b":"{broken","c":"[1]"}`},
		{"visitor.a.b.c=1&visitor.a.b.d=2&visitor.a.e=x", "", `{"a":{"b":{"c":1,"d":2},"e":"x"}}`},
		{"visitor.a=1&visitor.a.b=2", "", `{"a":{"b":2}}`},
		{"visitor.a=1&visitor.a=2&visitor..b=1&visitor.b.=1&visitor=1&Visitor.x=1", "", `{"a":1}`},
		{"visitor.a=" + strings.Repeat("x", 5000) + "&visitor.b=y", "", `{"b":"y"}`},
		{"", `gitbook-visitor-public={"a":1,"u":{"x":1}}|gitbook-visitor-public-b={"a":2,"u":{"y":2}}|gitbook-visitor-token={"evil":1}|other={"evil":1}`, `{"a":2,"u":{"x":1,"y":2}}`},
		{"visitor.u.x=3", `gitbook-visitor-public={"u":{"x":1,"y":2}}`, `{"u":{"x":3,"y":2}}`},
		{"", `gitbook-visitor-public=%7B%22a%22%3A%22b%22%7D|gitbook-visitor-public2=nonsense|gitbook-visitor-public3=[1]|gitbook-visitor-public4=null`, `{"a":"b"}`},
		{"", `gitbook-visitor-public={"__proto__":{"x":1},"constructor":1,"u":{"prototype":1}}`, `{"u":{}}`},
		{"", `gitbook-visitor-public={"a":"` + strings.Repeat("x", 5000) + `"}`, `{}`},
	} {
		query, err := url.ParseQuery(test.query)
		if err != nil {
			t.Fatal(err)
		}
		cookies := map[string]string{}
		for _, c := range strings.Split(test.cookies, "|") {
			name, value, _ := strings.Cut(c, "=")
			cookies[name] = value
		}
		if got, err := json.Marshal(adaptive.Unsigned(query, cookies)); err != nil || string(got) != test.want {
			t.Errorf("%.80s and %.80s give %s, want %s", test.query, test.cookies, got, test.want)
		}
	}
}

func TestClaimsAreBounded(t *testing.T) {
	var deep any = "x"
	for range 100 {
		deep = map[string]any{"a": deep}
	}
	signed := map[string]any{"deep": deep, "long": strings.Repeat("x", 1<<20), "zlast": true, "number": 1.5, "strange": make(chan int)}
	unsigned := map[string]any{"nick": strings.Repeat("x", 5000), "likes": make([]any, 1000), "lang": "cobol", "dark": "true", "age": "5"}
	got := schema(t).Claims(signed, unsigned)
	b, err := json.Marshal(got)
	if err != nil || len(b) > 64<<10 {
		t.Errorf("%d bytes of claims, %v", len(b), err)
	}
	if got["zlast"] != true || got["long"] != nil {
		t.Errorf("a claim that is too long takes the place of others: %.100v", got)
	}
	if len(got["unsigned"].(map[string]any)) != 0 {
		t.Errorf("values of another type were kept: %v", got["unsigned"])
	}
	many := map[string]any{}
	for i := range 5000 {
		many[fmt.Sprint(i)] = true
	}
	if got := schema(t).Claims(many, nil); len(got) > 1001 {
		t.Errorf("%d claims", len(got))
	}
}

func TestTemplateConditions(t *testing.T) {
	var got []string
	for _, c := range schema(t).TemplateConditions() {
		got = append(got, c.Description+" | "+c.Condition)
	}
	want := []string{
		`Beta user | visitor.claims.isBeta === true`,
		`Plan: free | visitor.claims.plan === "free"`,
		`Plan: pro "plus" | visitor.claims.plan === "pro \"plus\""`,
		`Groups: a | visitor.claims.groups.includes("a")`,
		`Groups: b | visitor.claims.groups.includes("b")`,
		`Big company | visitor.claims.company["is-big"] === true`,
		`Language: go | visitor.claims.unsigned.lang === "go"`,
		`Language: 7 | visitor.claims.unsigned.lang === "7"`,
		`Dark | visitor.claims.unsigned.dark === true`,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got:\n%s", strings.Join(got, "\n"))
	}
	var none *adaptive.Schema
	if list := none.TemplateConditions(); list == nil || len(list) != 0 {
		t.Errorf("without a schema: %v", list)
	}
	claims := schema(t).Claims(map[string]any{"company": map[string]any{"is-big": true}, "groups": []any{"b"}}, nil)
	env := map[string]any{"visitor": map[string]any{"claims": claims}}
	if !expr.Condition(`visitor.claims.company["is-big"] === true && visitor.claims.groups.includes("b")`, env) {
		t.Error("a template condition does not hold for its claims")
	}
}

func TestConditionsReadOnlyClaimsWithKnownValues(t *testing.T) {
	s := schema(t)
	for _, ok := range []string{
		"", "  ", "true", "visitor.claims.isBeta", `visitor.claims.plan === "free" || visitor.claims["isBeta"]`,
		`visitor.claims.plan.startsWith("pro")`, `visitor.claims.groups.some(g => g === "a")`, "visitor.claims.groups.length > 1",
		"visitor.claims.company && visitor.claims.company['is-big']", "visitor.claims.unsigned.dark", `space.vars.x === page.vars.y`,
	} {
		if err := s.CheckCondition("body.condition", ok); err != nil {
			t.Errorf("%s: %v", ok, err)
		}
	}
	for _, bad := range []string{
		"visitor.claims.name === 'Ann'", "visitor.claims.seats > 5", "visitor.claims.tags.includes('x')", "visitor.claims.unsigned.user.plan === 'x'",
		"visitor.claims.unsigned", "visitor.claims", "visitor", "visitor.claims[visitor.claims.plan]", "visitor.claims.nope", "visitor.claims.company.nope",
		"visitor.claims.unsigned.isBeta", "visitor.other", "claims.isBeta", "while(1){}", "visitor.claims.__proto__", "visitor.claims.isBeta &&",
		strings.Repeat("!", 1025),
	} {
		if err := s.CheckCondition("body.condition", bad); !errs.Is(err, errs.Invalid) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	var none *adaptive.Schema
	if err := none.CheckCondition("c", "visitor.claims.isBeta"); err == nil {
		t.Error("without a schema a claim can be read")
	}
	if err := none.CheckCondition("c", "page.vars.x"); err != nil {
		t.Error(err)
	}
}

// The template conditions of every valid schema parse, and the schema allows them. Only
// declared unsigned claims are kept.
func FuzzSchema(f *testing.F) {
	for _, seed := range []string{
		example, `{"type":"object","properties":{},"additionalProperties":false}`,
		`{"type":"object","additionalProperties":false,"properties":{"a b\\\"":{"type":"string","enum":["\\\"","'"],"description":""}}}`,
	} {
		f.Add([]byte(seed), "visitor.a=1&visitor.dark=true", `{"dark":true}`)
	}
	f.Fuzz(func(t *testing.T, source []byte, query, cookie string) {
		s, err := adaptive.Parse("s", source)
		if err != nil {
			if !errs.Is(err, errs.Invalid) {
				t.Fatal(err)
			}
			return
		}
		for _, c := range s.TemplateConditions() {
			if err := s.CheckCondition("c", c.Condition); err != nil {
				t.Errorf("%s: %v", c.Condition, err)
			}
		}
		values, _ := url.ParseQuery(query)
		claims := s.Claims(nil, adaptive.Unsigned(values, map[string]string{"gitbook-visitor-public": cookie}))
		if len(claims) != 1 {
			t.Errorf("unsigned claims became signed ones: %v", claims)
		}
		if _, err := json.Marshal(claims); err != nil {
			t.Error(err)
		}
	})
}

// A signed claim that does not match its declaration is dropped. Undeclared signed claims are
// kept.
func TestSignedClaimsOfAnotherType(t *testing.T) {
	s, err := adaptive.Parse("schema", []byte(`{"type":"object","additionalProperties":false,"properties":{
		"beta":{"type":"boolean","description":"Beta"},
		"plan":{"type":"string","enum":["free","pro"],"description":"Plan"},
		"team":{"type":"object","description":"Team","additionalProperties":false,"properties":{"lead":{"type":"boolean","description":"Lead"}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	got := s.Claims(map[string]any{
		"beta": "false", "plan": "enterprise", "sub": "u1", "team": map[string]any{"lead": "no", "name": "docs"},
	}, nil)
	want := map[string]any{"sub": "u1", "team": map[string]any{"name": "docs"}, "unsigned": map[string]any{}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	got = s.Claims(map[string]any{"beta": []any{true}, "plan": "pro", "team": "docs"}, nil)
	if want := map[string]any{"plan": "pro", "unsigned": map[string]any{}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := s.Claims(map[string]any{"beta": true}, nil); got["beta"] != true {
		t.Errorf("%v", got)
	}
}
