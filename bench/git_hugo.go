package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// hugo builds the pages of a manual as a site.
type hugo struct {
	bin   string
	site  string
	pages int
}

// Hugo's site has the same pages with their title in front matter and minimal
// templates; all other output of Hugo is switched off. As an import does, Hugo
// resolves the links between pages and collects the text for a search. The
// bare configuration does neither: its links between pages are not resolved.
const (
	hugoBase = `baseURL = "https://docs.example.com/"
title = "Manual"
disableKinds = ["taxonomy", "term", "rss", "sitemap", "robotsTXT", "404"]
[markup.goldmark.renderer]
unsafe = true
`
	hugoWhole = hugoBase + `[markup.goldmark.renderHooks.link]
useEmbedded = "always"
[markup.goldmark.renderHooks.image]
useEmbedded = "always"
[outputs]
home = ["html", "json"]
`
	hugoFramed = hugoWhole + `layoutDir = "framed"
`
)

// What surrounds a page of Hugo where it is compared with a page of a site: the
// navigation with the branch of the page, the way to the page, its outline and its
// neighbours.
const (
	hugoSingle = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{{ .Title }} · {{ .Site.Title }}</title>
<link rel="canonical" href="{{ .Permalink }}">{{ with .PrevInSection }}<link rel="prev" href="{{ .RelPermalink }}">{{ end }}{{ with .NextInSection }}<link rel="next" href="{{ .RelPermalink }}">{{ end }}
<meta property="og:title" content="{{ .Title }}"><meta property="og:site_name" content="{{ .Site.Title }}"><meta property="og:url" content="{{ .Permalink }}"></head>
<body><header><a href="/">{{ .Site.Title }}</a></header><nav>{{ partial "branch.html" (dict "section" .Site.Home "page" .) }}</nav><nav>{{ .TableOfContents }}</nav>
<main><ol>{{ range .Ancestors.Reverse }}<li><a href="{{ .RelPermalink }}">{{ .LinkTitle }}</a></li>{{ end }}</ol><h1>{{ .Title }}</h1>{{ .Content }}
{{ with .PrevInSection }}<a href="{{ .RelPermalink }}">{{ .LinkTitle }}</a>{{ end }}{{ with .NextInSection }}<a href="{{ .RelPermalink }}">{{ .LinkTitle }}</a>{{ end }}</main></body></html>
`
	hugoBranch = `<ul>{{ $page := .page }}{{ range .section.Pages }}<li><a href="{{ .RelPermalink }}"{{ if eq . $page }} aria-current="page"{{ end }}>{{ .LinkTitle }}</a>` +
		`{{ if and .IsSection (or (eq . $page.CurrentSection) (.IsAncestor $page)) }}{{ partial "branch.html" (dict "section" . "page" $page) }}{{ end }}</li>{{ end }}</ul>` + "\n"
)

// newHugo builds the program and writes the site.
func newHugo(ctx context.Context, dir string, m *manual) (h *hugo, err error) {
	h = &hugo{site: filepath.Join(dir, "hugo"), pages: m.pages}
	if h.bin, err = buildProgram(ctx, dir, "HUGO", "hugo", "github.com/gohugoio/hugo"); err != nil {
		return nil, err
	}
	files := map[string]string{
		"bare.toml": hugoBase, "whole.toml": hugoWhole,
		"layouts/_default/single.html": "<!doctype html><title>{{ .Title }}</title><h1>{{ .Title }}</h1>{{ .Content }}\n",
		"layouts/_default/index.json": "[{{ range $i, $p := .Site.RegularPages }}{{ if $i }},{{ end }}" +
			"{{ dict \"title\" $p.Title \"url\" $p.RelPermalink \"text\" $p.Plain | jsonify }}{{ end }}]\n",
		"layouts/_default/list.html": "<!doctype html><title>{{ .Title }}</title>{{ range .Pages }}<a href=\"{{ .RelPermalink }}\">{{ .Title }}</a>{{ end }}\n",
	}
	files["framed.toml"] = hugoFramed
	for _, name := range []string{"index.json", "list.html"} {
		files["framed/_default/"+name] = files["layouts/_default/"+name]
	}
	files["framed/_default/single.html"], files["framed/partials/branch.html"] = hugoSingle, hugoBranch
	for i := range m.pages {
		files["content/"+m.file(i)] = fmt.Sprintf("---\ntitle: %q\n---\n\n%s", m.title(i), m.source(i, firstWords))
	}
	for i := range m.figures() {
		files["static/"+figureFile(i)] = string(m.figure(i))
	}
	for name, text := range files {
		if err := writeFile(h.site, name, []byte(text)); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// build builds the site once, on all cores, and counts the pages that it made.
func (h *hugo) build(config string) run {
	return func(ctx context.Context, _ time.Duration) (sample, error) { return h.once(ctx, config) }
}

func (h *hugo) once(ctx context.Context, config string) (sample, error) {
	public := filepath.Join(h.site, "public")
	defer os.RemoveAll(public)
	s, err := timed(onAllCores(ctx, h.bin, "--quiet", "--source", h.site, "--config", config, "--destination", public), h.pages)
	if err != nil {
		return s, fmt.Errorf("hugo: %w", err)
	}
	made := 0
	err = filepath.WalkDir(public, func(_ string, d os.DirEntry, err error) error {
		if err == nil && d.Name() == "index.html" {
			made++
		}
		return err
	})
	if err == nil && made < h.pages {
		err = fmt.Errorf("hugo built %d pages of %d", made, h.pages)
	}
	return s, err
}

// timed runs a program that does something with pages.
func timed(cmd *exec.Cmd, pages int) (sample, error) {
	start := time.Now()
	out, err := cmd.CombinedOutput()
	took := time.Since(start)
	if err != nil {
		return sample{}, fmt.Errorf("%w\n%s", err, out)
	}
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return sample{count: pages, took: took, sorted: []time.Duration{took}, cpu: &used}, nil
}
