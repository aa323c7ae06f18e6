package apidoc

import (
	"strings"
	"testing"
)

const oldSwagger = `{% swagger method="post" path="/pets/{id}" baseUrl="https://api.example.com/v1" summary="Change a pet" %}
{% swagger-description %}
It **replaces** the pet. See [the guide](https://example.com/guide).
{% endswagger-description %}

{% swagger-parameter in="path" name="id" type="String" required="true" %}
Which one
{% endswagger-parameter %}

{% swagger-parameter in="query" name="dry" type="Boolean" %}
Only look
{% endswagger-parameter %}

{% swagger-parameter in="body" name="name" type="String" required="true" %}
Its name
{% endswagger-parameter %}

{% swagger-parameter in="body" name="age" type="Integer" %}

{% endswagger-parameter %}

{% swagger-parameter in="header" name="X-Trace" type="UUID v4" %}
For support
{% endswagger-parameter %}

{% swagger-response status="200: OK" description="Changed" %}
` + "```javascript\n{\"name\": \"Ada\"}\n```" + `
{% endswagger-response %}

{% swagger-response status="404: Not Found" description="" %}
There is no such pet.
{% endswagger-response %}
{% endswagger %}
`

const oldMethod = `{% api-method method="get" host="https://api.cakes.com" path="/v1/cakes/:id" %}
{% api-method-summary %}
Get Cakes
{% endapi-method-summary %}

{% api-method-description %}
This endpoint allows you to get free cakes.
{% endapi-method-description %}

{% api-method-spec %}
{% api-method-request %}
{% api-method-path-parameters %}
{% api-method-parameter name="id" type="string" required=true %}
ID of the cake to get.
{% endapi-method-parameter %}
{% endapi-method-path-parameters %}

{% api-method-query-parameters %}
{% api-method-parameter name="gluten" type="boolean" required=false %}
Without it?
{% endapi-method-parameter %}
{% endapi-method-query-parameters %}
{% endapi-method-request %}

{% api-method-response %}
{% api-method-response-example httpCode=200 %}
{% api-method-response-example-description %}
Cake successfully retrieved.
{% endapi-method-response-example-description %}

` + "```\n{\"name\": \"Cake's name\"}\n```" + `
{% endapi-method-response-example %}
{% endapi-method-response %}
{% endapi-method-spec %}
{% endapi-method %}
`

// Operations written with tags in old pages look like operations of descriptions.
func TestInlineOperations(t *testing.T) {
	for source, wants := range map[string][]string{
		oldSwagger: {
			`class="openapi openapi-operation"`, "Change a pet", `api-method api-post`, "https://api.example.com/v1", `<span class="api-variable">{id}</span>`,
			"<strong>replaces</strong>", `href="https://example.com/guide"`, "Path parameters", "Query parameters", "Which one", "boolean", "Request body", "Its name", "integer",
			"X-Trace", "UUID v4", "200", "Changed", "Ada", "404", "There is no such pet.", "curl",
		},
		oldMethod: {"Get Cakes", "api-get", "https://api.cakes.com", "free cakes", "ID of the cake", "gluten", "Cake successfully retrieved.", "Cake&#39;s name", "curl"},
	} {
		got := show(t, petStore(t), source)
		wellFormed(t, got)
		for _, want := range wants {
			if !strings.Contains(got, want) {
				t.Errorf("no %q in\n%s", want, got)
			}
		}
		if strings.Contains(got, "<details class=\"expandable\"") {
			t.Errorf("still shown as text:\n%s", got)
		}
	}
}

// Operations that OpenAPI cannot express are shown as text, and hidden content stays
// hidden.
func TestInlineOperationsThatAreNone(t *testing.T) {
	got := show(t, petStore(t), strings.Replace(oldSwagger, `method="post"`, `method="brew"`, 1))
	if !strings.Contains(got, `<details class="expandable"`) || !strings.Contains(got, "Which one") {
		t.Error(got)
	}
	hidden := strings.Replace(oldSwagger, "It **replaces** the pet.", "{% if visitor.claims.staff %}\nSecret\n{% endif %}\n", 1)
	if got := show(t, petStore(t), hidden); strings.Contains(got, "Secret") {
		t.Error(got)
	}
	attack := strings.NewReplacer("Which one", "<script>alert(1)</script>", "https://api.example.com/v1", `javascript:alert(1)\"><img src=x onerror=alert(1)>`).Replace(oldSwagger)
	if got := show(t, petStore(t), attack); strings.Contains(got, "<script") || strings.Contains(got, "<img") {
		t.Error(got)
	}
}
