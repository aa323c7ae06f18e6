package expr

import (
	"strings"
	"testing"
)

// Names and members that the data does not have are found wherever they are read, and
// nothing else is refused.
func TestCheck(t *testing.T) {
	value := &Shape{}
	env := &Shape{Members: map[string]*Shape{
		"title": value,
		"api":   {Members: map[string]*Shape{"breaking": value, "changes": value}},
		"reviews": {Items: &Shape{Members: map[string]*Shape{
			"status": value, "reviewer": {Members: map[string]*Shape{"id": value}},
		}}},
		"labels": {Items: value},
		"any":    nil,
	}}
	for src, want := range map[string]string{
		`api.breaking == 0 && title.length > 3`:                                  "",
		`api["changes"] < 3 || title.includes("x")`:                              "",
		`reviews.length > 0 && reviews[0].status === "approved"`:                 "",
		`reviews.filter(r => r.status == "a").some(r => r.reviewer.id == title)`: "",
		`reviews.every((r, i, all) => all[i].status == "a" && i > 0)`:            "",
		`reviews.map(r => r.status).includes("approved")`:                        "",
		`reviews.find(r => r.status == "a")?.reviewer?.id ?? "nobody"`:           "",
		`labels.some(l => l.startsWith("x")) && labels.at(0).length`:             "",
		`any.thing.at.all && {x: 1}.y`:                                           "",
		`(title ? api : reviews).breaking`:                                       "",

		`api.braking == 0`:                               "column 5: api.braking is unknown; known are api.breaking, api.changes",
		`api["braking"] == 0`:                            "api.braking is unknown",
		`api?.braking`:                                   "api.braking is unknown",
		`request.subject != ""`:                          "column 1: request is unknown; known are any, api, labels, reviews, title",
		`true || request`:                                "request is unknown",
		`title.size`:                                     "title.size is unknown: title is a single value",
		`reviews.status == "a"`:                          "reviews.status is unknown: reviews is a list",
		`reviews[0].state`:                               "reviews[].state is unknown; known are reviews[].reviewer, reviews[].status",
		`reviews.some(r => r.statsu == "a")`:             "reviews[].statsu is unknown",
		`reviews.filter(r => true).at(0).reviewer.name`:  "reviews[].reviewer.name is unknown",
		`reviews.some(r => reviews.some(s => s.x == 1))`: "reviews[].x is unknown",
		`title.includes(api.x)`:                          "api.x is unknown",
		`reviews[api.x]`:                                 "api.x is unknown",
		`[1, {a: api.x}]`:                                "api.x is unknown",
		`!api.x ? 1 : 2`:                                 "api.x is unknown",
		`api.length`:                                     "api.length is unknown",
	} {
		p, err := Parse(src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		got := ""
		if err := p.Check(env); err != nil {
			got = err.Error()
		}
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", src, got, want)
		}
	}
}
