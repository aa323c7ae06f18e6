// Package rss writes feeds by RSS 2.0.
package rss

import (
	"encoding/xml"
	"time"
)

// Type is the media type of a feed.
const Type = "application/rss+xml"

// Feed is a list of updates.
type Feed struct {
	Title       string
	Link        string // address of what the feed is about
	Self        string // address of the feed
	Description string
	Language    string // may be empty
	Items       []Item
}

// Item is an update.
type Item struct {
	Title       string
	Link        string
	ID          string    // no other item of any feed has it
	Date        time.Time // may be zero
	Categories  []string
	Description string // HTML
}

type (
	document struct {
		XMLName xml.Name `xml:"rss"`
		Version string   `xml:"version,attr"`
		Atom    string   `xml:"xmlns:atom,attr"`
		Channel channel  `xml:"channel"`
	}
	channel struct {
		Title       string   `xml:"title"`
		Link        string   `xml:"link"`
		Self        selfLink `xml:"atom:link"`
		Description string   `xml:"description"`
		Language    string   `xml:"language,omitempty"`
		Items       []item   `xml:"item"`
	}
	selfLink struct {
		Href string `xml:"href,attr"`
		Rel  string `xml:"rel,attr"`
		Type string `xml:"type,attr"`
	}
	item struct {
		Title       string   `xml:"title"`
		Link        string   `xml:"link"`
		GUID        guid     `xml:"guid"`
		Date        string   `xml:"pubDate,omitempty"`
		Categories  []string `xml:"category"`
		Description string   `xml:"description"`
	}
	guid struct {
		Permanent bool   `xml:"isPermaLink,attr"`
		Value     string `xml:",chardata"`
	}
)

// XML returns the feed as it is sent.
func (f *Feed) XML() ([]byte, error) {
	c := channel{Title: f.Title, Link: f.Link, Self: selfLink{f.Self, "self", Type}, Description: f.Description, Language: f.Language}
	for _, i := range f.Items {
		out := item{Title: i.Title, Link: i.Link, GUID: guid{Value: i.ID}, Categories: i.Categories, Description: i.Description}
		if !i.Date.IsZero() {
			out.Date = i.Date.Format(time.RFC1123Z)
		}
		c.Items = append(c.Items, out)
	}
	b, err := xml.Marshal(document{Version: "2.0", Atom: "http://www.w3.org/2005/Atom", Channel: c})
	return append([]byte(xml.Header), b...), err
}
