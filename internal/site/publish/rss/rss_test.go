package rss_test

import (
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/site/publish/rss"
)

func TestXML(t *testing.T) {
	f := rss.Feed{
		Title: "News & more", Link: "https://a.test/news", Self: "https://a.test/news/rss.xml", Description: "All", Language: "en",
		Items: []rss.Item{
			{Title: "Two", Link: "https://a.test/news#two", ID: "two", Date: time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC), Categories: []string{"new", "fixed"}, Description: "<p>b</p>"},
			{Title: "One", Link: "https://a.test/news#one", ID: "one"},
		},
	}
	const want = `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>News &amp; more</title><link>https://a.test/news</link>` +
		`<atom:link href="https://a.test/news/rss.xml" rel="self" type="application/rss+xml"></atom:link><description>All</description><language>en</language>` +
		`<item><title>Two</title><link>https://a.test/news#two</link><guid isPermaLink="false">two</guid><pubDate>Tue, 03 Feb 2026 00:00:00 +0000</pubDate><category>new</category><category>fixed</category><description>&lt;p&gt;b&lt;/p&gt;</description></item>` +
		`<item><title>One</title><link>https://a.test/news#one</link><guid isPermaLink="false">one</guid><description></description></item></channel></rss>`
	if got, err := f.XML(); err != nil || string(got) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
}
