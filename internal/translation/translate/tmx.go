package translate

import (
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// TMX is the exchange format of translation memories. It writes a placeholder
// <x id="1"/> as <ph x="1"/>, and a pair as <bpt i="2" x="2"/> and <ept i="2"/>.

// Pair is a text and its translation, in the protected form. Engine reports whether an
// engine made the translation, not a person.
type Pair struct {
	Source, Target string
	Engine         bool
}

// originEngine is the value of the property x-origin of a unit whose translation an engine
// made. Tools of translators keep unknown properties.
const originEngine = "engine"

// TMXWriter writes a memory.
type TMXWriter struct {
	w        *bufio.Writer
	from, to string
}

// NewTMX returns a TMXWriter for a language pair and writes the header.
func NewTMX(w io.Writer, from, to string) *TMXWriter {
	t := &TMXWriter{bufio.NewWriter(w), from, to}
	fmt.Fprintf(t.w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<tmx version=\"1.4\">\n"+
		"  <header creationtool=\"Octavo\" creationtoolversion=\"1\" segtype=\"block\" o-tmf=\"Octavo\" adminlang=\"en\" srclang=\"%s\" datatype=\"xml\"/>\n  <body>\n", from)
	return t
}

// Write adds a text and its translation.
func (t *TMXWriter) Write(p Pair) error {
	origin := "person"
	if p.Engine {
		origin = originEngine
	}
	_, err := fmt.Fprintf(t.w, "    <tu>\n      <prop type=\"x-origin\">%s</prop>\n      <tuv xml:lang=\"%s\"><seg>%s</seg></tuv>\n      <tuv xml:lang=\"%s\"><seg>%s</seg></tuv>\n    </tu>\n",
		origin, t.from, toTMX(p.Source), t.to, toTMX(p.Target))
	return err
}

// Close ends the memory.
func (t *TMXWriter) Close() error {
	_, _ = t.w.WriteString("  </body>\n</tmx>\n") // Flush returns its error
	return t.w.Flush()
}

// toTMX returns a text of the protected form as the content of a seg element. Characters
// that XML cannot contain are replaced by U+FFFD.
func toTMX(text string) string {
	list, err := tokens(text)
	if err != nil {
		list = []token{{text: text}}
	}
	var b strings.Builder
	var open []int
	for _, t := range list {
		switch t.tag {
		case 0:
			_ = xml.EscapeText(&b, []byte(t.text))
		case 'x':
			fmt.Fprintf(&b, `<ph x="%d"/>`, t.id)
		case 'g':
			open = append(open, t.id)
			fmt.Fprintf(&b, `<bpt i="%d" x="%d"/>`, t.id, t.id)
		default:
			if len(open) > 0 {
				fmt.Fprintf(&b, `<ept i="%d"/>`, open[len(open)-1])
				open = open[:len(open)-1]
			}
		}
	}
	return b.String()
}

// errTMX reports that a file is not a translation memory.
var errTMX = errors.New("the file is not TMX")

// ReadTMX calls each for every text of a memory that has both languages. A language of
// the file matches from or to also if it differs only by an additional region.
func ReadTMX(r io.Reader, from, to string, each func(Pair) error) error {
	d := xml.NewDecoder(r)
	d.Strict = true
	found := false
	for {
		t, err := d.Token()
		if err == io.EOF {
			if !found {
				return errTMX
			}
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: %w", errTMX, err)
		}
		start, ok := t.(xml.StartElement)
		switch {
		case !ok:
		case start.Name.Local == "tmx":
			found = true
		case !found:
			return errTMX
		case start.Name.Local == "tu":
			var unit struct {
				Props    []prop    `xml:"prop"`
				Variants []variant `xml:"tuv"`
			}
			if err := d.DecodeElement(&unit, &start); err != nil {
				return fmt.Errorf("%w: %w", errTMX, err)
			}
			p := Pair{Engine: slices.Contains(unit.Props, prop{"x-origin", originEngine})}
			for _, v := range unit.Variants {
				switch {
				case sameLanguage(v.language(), from):
					p.Source = v.Seg.text
				case sameLanguage(v.language(), to):
					p.Target = v.Seg.text
				}
			}
			if p.Source == "" || strings.TrimSpace(p.Target) == "" {
				continue
			}
			if err := each(p); err != nil {
				return err
			}
		}
	}
}

// prop is a property of a unit.
type prop struct {
	Type string `xml:"type,attr"`
	Text string `xml:",chardata"`
}

// variant is a text in one language.
type variant struct {
	Lang string `xml:"http://www.w3.org/XML/1998/namespace lang,attr"`
	Old  string `xml:"lang,attr"`
	Seg  seg    `xml:"seg"`
}

func (v variant) language() string {
	if v.Lang != "" {
		return v.Lang
	}
	return v.Old
}

func sameLanguage(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	base := func(s string) string { s, _, _ = strings.Cut(s, "-"); return s }
	return a == b || base(a) == b
}

// seg is the content of a seg element in the protected form.
type seg struct{ text string }

// UnmarshalXML implements xml.Unmarshaler.
func (s *seg) UnmarshalXML(d *xml.Decoder, _ xml.StartElement) error {
	var b strings.Builder
	attr := func(e xml.StartElement) int {
		for _, name := range []string{"x", "i"} {
			for _, a := range e.Attr {
				if n, err := strconv.Atoi(a.Value); a.Name.Local == name && err == nil && n > 0 {
					return n
				}
			}
		}
		return 0
	}
	for {
		t, err := d.Token()
		if err != nil {
			return err
		}
		switch t := t.(type) {
		case xml.CharData:
			_, _ = escaper.WriteString(&b, string(t))
		case xml.EndElement:
			s.text = b.String()
			return nil
		case xml.StartElement:
			switch t.Name.Local {
			case "ph":
				fmt.Fprintf(&b, `<x id="%d"/>`, attr(t))
			case "bpt":
				fmt.Fprintf(&b, `<g id="%d">`, attr(t))
			case "ept":
				b.WriteString("</g>")
			}
			if err := d.Skip(); err != nil {
				return err
			}
		}
	}
}
