package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// hugo builds the pages of a manual as a site.
type hugo struct {
	bin   string
	site  string
	pages int
}

// Hugo's site has the same pages with their title in front matter, and the
// least templates that show them; what else Hugo makes is off. As an import
// does, it finds what the links between pages lead to, and collects the text
// that is searched for. A bare one leaves out both: its links between pages
// lead nowhere.
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
)

// newHugo finds the program, or builds the version that the module in
// bench/hugo pins, and writes the site.
func newHugo(ctx context.Context, dir string, m *manual) (*hugo, error) {
	h := &hugo{site: filepath.Join(dir, "hugo"), pages: m.pages}
	if h.bin = os.Getenv("HUGO"); h.bin == "" {
		out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
		if err != nil {
			return nil, fmt.Errorf("hugo is built from this module's folder: %w", err)
		}
		h.bin = filepath.Join(dir, "hugo.bin")
		cmd := exec.CommandContext(ctx, "go", "build", "-o", h.bin, "github.com/gohugoio/hugo")
		cmd.Dir = filepath.Join(strings.TrimSpace(string(out)), "bench", "hugo")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("build Hugo: %w\n%s", err, out)
		}
	}
	files := map[string]string{
		"bare.toml": hugoBase, "whole.toml": hugoWhole,
		"layouts/_default/single.html": "<!doctype html><title>{{ .Title }}</title><h1>{{ .Title }}</h1>{{ .Content }}\n",
		"layouts/_default/index.json": "[{{ range $i, $p := .Site.RegularPages }}{{ if $i }},{{ end }}" +
			"{{ dict \"title\" $p.Title \"url\" $p.RelPermalink \"text\" $p.Plain | jsonify }}{{ end }}]\n",
		"layouts/_default/list.html": "<!doctype html><title>{{ .Title }}</title>{{ range .Pages }}<a href=\"{{ .RelPermalink }}\">{{ .Title }}</a>{{ end }}\n",
	}
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

// build builds the site once, on all cores, and looks whether all is there.
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
