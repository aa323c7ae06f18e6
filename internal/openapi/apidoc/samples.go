package apidoc

import (
	"html"

	"github.com/octavo-docs/octavo/internal/openapi"
)

// maxExamples is the maximum number of examples of one response that are shown.
const maxExamples = 5

// beside is what is shown beside an operation.
type beside struct {
	o       *openapi.Operation
	spec    string // the slug of the description
	trial   *openapi.Trial
	samples []openapi.Sample
	sent    []example // by a webhook
	answers []example
}

// example is an example of a body in a media type.
type example struct {
	status, name string // of a response
	media        openapi.Media
	example      openapi.Example
}

func (b *beside) empty() bool {
	return b.trial == nil && len(b.samples)+len(b.sent)+len(b.answers) == 0
}

// beside returns what is shown beside an operation. There is no code once the limit of the page is
// reached.
func (w *writer) beside(o *openapi.Operation, spec string) *beside {
	b := &beside{o: o, spec: spec}
	if w.tryAt != "" && spec != "" {
		b.trial = o.Trial()
	}
	if w.sources < 0 {
		return b
	}
	b.samples = o.Samples()
	if body := o.Body(); o.Webhook && body != nil {
		for _, m := range body.Content {
			for _, e := range m.Examples(openapi.InRequest)[:min(1, len(m.Examples(openapi.InRequest)))] {
				b.sent = append(b.sent, example{media: m, example: e})
			}
		}
	}
	b.answers = answers(o.Responses())
	return b
}

// answers returns the examples of responses, in one media type of each.
func answers(all []openapi.Response) (found []example) {
	for _, r := range all[:min(len(all), maxResponses)] {
		for _, m := range r.Content {
			examples := m.Examples(openapi.InResponse)
			for _, e := range examples[:min(len(examples), maxExamples)] {
				name := e.Summary
				if name == "" {
					name = e.Name
				}
				found = append(found, example{r.Status, name, m, e})
			}
			if len(examples) > 0 {
				break
			}
		}
	}
	return found
}

// samples writes the second column. Its request is for the server that the reader has chosen, see base.
func (w *writer) samples(b *beside) {
	if b.empty() {
		return
	}
	w.b.WriteString(`<div class="api-samples"`)
	if key := serversKey(b.o); key != "" {
		sample, server := b.o.SampleURL()
		w.b.WriteString(` data-servers="` + key + `" data-sample="` + html.EscapeString(printable(sample)) + `" data-from="` + html.EscapeString(printable(server)) + `"`)
	}
	w.b.WriteString(">")
	if b.trial != nil || len(b.samples) > 0 {
		w.card(w.l.Request, func() { w.request(b) })
	}
	if len(b.sent) > 0 {
		w.card(w.l.Example, func() {
			w.tag("div", "api-code", func() {
				for _, e := range b.sent {
					w.exampleCode(e)
				}
			})
		})
	}
	if len(b.answers) > 0 {
		w.card(w.l.Responses, func() {
			w.tabs("api-code api-answers", len(b.answers), func(i int) {
				w.status(b.answers[i].status)
				if b.answers[i].name != "" {
					w.textElement("span", "", b.answers[i].name)
				}
			}, func(i int) { w.exampleCode(b.answers[i]) })
		})
	}
	w.b.WriteString("</div>")
}

// card writes a group of the second column.
func (w *writer) card(label string, inner func()) {
	w.b.WriteString(`<div class="api-card" role="group" aria-label="` + html.EscapeString(label) + `">`)
	inner()
	w.b.WriteString("</div>")
}

// request writes the samples of the request, with the button of the form that sends it in their head.
func (w *writer) request(b *beside) {
	w.tag("div", "api-bar", func() {
		w.method(b.o)
		w.tag("code", "api-path", func() { w.path(b.o.Path) })
		if b.trial != nil {
			w.b.WriteString(`<button type="button" class="api-open" aria-haspopup="dialog" hidden>`)
			w.escape(w.l.Try)
			w.b.WriteString("</button>")
		}
	})
	if len(b.samples) > 0 {
		w.tabs("api-code api-request", len(b.samples), func(i int) { w.escape(b.samples[i].Label) }, func(i int) {
			w.source(b.samples[i].Language, b.samples[i].Source)
		})
	}
	if b.trial != nil {
		w.trial(b)
	}
}

func (w *writer) exampleCode(e example) {
	w.source(openapi.ExampleLanguage(e.media.Type), e.example.Body(e.media.Type))
}
