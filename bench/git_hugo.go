package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// hugo builds the pages of a manual as a Hugo site.
type hugo struct {
	bin   string
	site  string
	pages int
}

// Hugo's site has the same pages, with titles in front matter and minimal templates.
// All other output of Hugo is switched off. Like an import, Hugo resolves the links
// between pages and collects the text for a search. The bare configuration does
// neither.
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
	hugoFramed = `layoutDir = "framed"
contentDir = "sections"
` + hugoWhole + `[frontmatter]
lastmod = [":fileModTime"]
[markup.highlight]
noClasses = false
`
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
	files["framed/_default/index.json"] = files["layouts/_default/index.json"]
	frame, err := hugoFrame()
	if err != nil {
		return nil, err
	}
	maps.Copy(files, frame)
	for i := range m.pages {
		source := m.source(i, firstWords)
		files["content/"+m.file(i)] = fmt.Sprintf("---\ntitle: %q\n---\n\n%s", m.title(i), source)
		files["sections/"+sections.Replace(m.file(i))] = fmt.Sprintf("---\ntitle: %q\nweight: %d\n---\n\n%s", m.title(i), i+1, sections.Replace(source))
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

// build returns a run that builds the site once, on all cores, and checks the number
// of built pages.
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
	built := 0
	err = filepath.WalkDir(public, func(_ string, d os.DirEntry, err error) error {
		if err == nil && d.Name() == "index.html" {
			built++
		}
		return err
	})
	if err == nil && built < h.pages {
		err = fmt.Errorf("hugo built %d pages of %d", built, h.pages)
	}
	return s, err
}

// timed runs a program that processes pages, and returns its time as a sample.
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
