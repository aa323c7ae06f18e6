package main

import (
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/search"
)

// manualPages returns the pages that the benchmarks of this file read in turn.
func manualPages() [][]byte {
	const pages = 400
	m := newManual(pages)
	out := make([][]byte, pages)
	for i := range out {
		out[i] = []byte(m.page(i, firstWords))
	}
	return out
}

// resolver resolves every page and file of a manual, like an import.
var resolver = markup.Refs{Resolve: func(dest string, use markup.Use) (docs.Ref, bool) {
	switch {
	case len(dest) > 8 && dest[:8] == "https://":
		return docs.Ref{}, false
	case use == markup.UseImage:
		return docs.Ref{Kind: docs.RefFile, File: dest}, true
	}
	return docs.Ref{Kind: docs.RefPage, Page: dest}, true
}}

// eachPage measures do for one page at a time. On a busy machine, the processor time,
// which includes the garbage collector, is the relevant result.
func eachPage(b *testing.B, pages int, do func(i int)) {
	b.ReportAllocs()
	runtime.GC()
	start := userTime()
	i := 0
	for ; b.Loop(); i++ {
		do(i % pages)
	}
	b.ReportMetric(float64(userTime()-start)/float64(i), "cpu-ns/op")
}

func userTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano())
}

func BenchmarkParseHead(b *testing.B) {
	pages := manualPages()
	eachPage(b, len(pages), func(i int) { markup.ParseHead(pages[i]) })
}

func BenchmarkParse(b *testing.B) {
	pages := manualPages()
	for i, p := range pages {
		pages[i] = p[markup.ParseHead(p).Body:]
	}
	eachPage(b, len(pages), func(i int) { markup.Parse(pages[i], resolver) })
}

func manualDocuments() []*markup.Document {
	pages := manualPages()
	out := make([]*markup.Document, len(pages))
	for i, p := range pages {
		out[i] = markup.Parse(p[markup.ParseHead(p).Body:], resolver)
	}
	return out
}

func BenchmarkReferences(b *testing.B) {
	all := manualDocuments()
	eachPage(b, len(all), func(i int) { markup.References(all[i]) })
}

func BenchmarkAnchors(b *testing.B) {
	all := manualDocuments()
	eachPage(b, len(all), func(i int) { markup.Anchors(all[i]) })
}

func BenchmarkSections(b *testing.B) {
	all := manualDocuments()
	eachPage(b, len(all), func(i int) { markup.Sections(all[i]) })
}

func BenchmarkTerms(b *testing.B) {
	var pages []search.Page
	for _, d := range manualDocuments() {
		p := search.Page{Title: "A page", Language: "en"}
		for _, s := range markup.Sections(d) {
			p.Sections = append(p.Sections, search.Section(s))
		}
		pages = append(pages, p)
	}
	var a search.Analyser
	eachPage(b, len(pages), func(i int) { a.Encoded(pages[i]) })
}
