package audit

import (
	"slices"
	"strings"
)

// nouns lists what happens in an organization, by what it happens to. An event of an
// organization has one of these actions; a test compares them with what is recorded.
var nouns = map[string]string{
	"change_request":         "create update review request_review unrequest_review merge bring_up_to_date resolve_conflict",
	"change_request.content": "edits merge update rollback computed",
	"collection":             "create update delete move transfer",
	"comment":                "post edit delete react resolve reopen",
	"comment-reply":          "post edit delete react",
	"conversation":           "ingest delete redact webhook",
	"font":                   "create update delete",
	"glossary":               "update",
	"invite-link":            "create update revoke accept",
	"member":                 "add invite invite-again join provision rename role sso external-id deactivate reactivate remove",
	"oidc":                   "create update delete failure",
	"openapi_spec":           "create update delete version fail",
	"organization":           "create update delete restore instruct quota",
	"permission":             "set remove",
	"saml":                   "create update delete refuse",
	"service-account":        "create update delete",
	"session":                "create end use",
	"site":                   "create update delete publish unpublish",
	"site.ads":               "update",
	"site.adaptive_schema":   "update",
	"site.auth":              "update regenerate",
	"site.customization":     "update",
	"site.hostname":          "set remove verify lose",
	"site.mcp_server":        "create update delete",
	"site.proxy":             "lose",
	"site.redirect":          "create update delete bulk",
	"site.share_link":        "create update delete",
	"site_external_link":     "create update delete move",
	"site_section":           "create update delete move",
	"site_section_group":     "create update delete move",
	"site_space":             "create update delete move withhold release",

	"site_space.customization": "update delete",

	"space":         "create update delete restore purge move duplicate transfer",
	"space.content": "edits merge update rollback computed",
	"space.git":     "import export connect disconnect sync forget",
	"space.gitsync": "started completed",
	"team":          "create rename delete members external-id",
	"token":         "create revoke block unblock use",
	"translation":   "create update delete run accept complete fail import",
	"upload":        "create",
	"webhook":       "create update delete disable replay",
}

// Actions returns the actions that events of an organization can have, sorted. Most have
// the form noun.verb.
func Actions() []string {
	var out []string
	for noun, verbs := range nouns {
		for verb := range strings.FieldsSeq(verbs) {
			out = append(out, noun+"."+verb)
		}
	}
	slices.Sort(out)
	return out
}
