package folder

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"

	"github.com/octavo-docs/octavo/internal/errs"
)

// Format writes problems in one of three formats: text for people, json for programs, or
// sarif (version 2.1.0) for services that show problems next to the source.
func Format(w io.Writer, problems []Problem, format string) error {
	switch format {
	case "text":
		for _, p := range problems {
			if _, err := fmt.Fprintf(w, "%s: %s\n", p.Level(), p); err != nil {
				return err
			}
		}
		return nil
	case "json":
		type line struct {
			Problem
			Level string `json:"level"`
		}
		out := make([]line, len(problems))
		for i, p := range problems {
			out[i] = line{p, p.Level()}
		}
		return writeJSON(w, out)
	case "sarif":
		return writeJSON(w, sarif(problems))
	}
	return errs.E(errs.Invalid, "there is no format %q; use text, json or sarif", format)
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    string    `json:"id"`
		Short sarifText `json:"shortDescription"`
		Level struct {
			Level string `json:"level"`
		} `json:"defaultConfiguration"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		Rule      string          `json:"ruleId"`
		Index     int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifLocation struct {
		Physical struct {
			Artifact struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region *sarifRegion `json:"region,omitempty"`
		} `json:"physicalLocation"`
	}
	sarifRegion struct {
		Start int `json:"startLine"`
	}
)

func sarif(problems []Problem) sarifLog {
	var run sarifRun
	run.ColumnKind = "unicodeCodePoints"
	run.Tool.Driver.Name = "octavo"
	index := map[string]int{}
	for i, code := range sortedKeys(rules) {
		index[code] = i
		r := sarifRule{ID: code, Short: sarifText{rules[code].about}}
		r.Level.Level = rules[code].level
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, r)
	}
	run.Results = []sarifResult{}
	for _, p := range problems {
		var at sarifLocation
		at.Physical.Artifact.URI = (&url.URL{Path: p.File}).String()
		if p.Line > 0 {
			at.Physical.Region = &sarifRegion{p.Line}
		}
		run.Results = append(run.Results, sarifResult{p.Code, index[p.Code], p.Level(), sarifText{p.Message}, []sarifLocation{at}})
	}
	return sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}}
}
