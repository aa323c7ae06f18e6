package saml

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
)

// Limits of a response.
const (
	MaxResponse   = 256 << 10 // bytes
	maxElements   = 1_000     // the library verifies no more than that, and fewer in most responses
	maxDepth      = 32
	maxAttributes = 32 // of an element
	maxPrefixes   = 32 // of namespaces; the library copies all that are known for each element
)

// unique lists elements that may occur only once in a response, at any place and in any namespace.
// With two of them, the library, or a part of it, could verify one and read the other.
var unique = []string{"Response", "Assertion", "Subject", "NameID", "SubjectConfirmation", "SubjectConfirmationData", "Conditions", "Status"}

// algorithms lists the accepted values of the attribute Algorithm for each element that has one.
// None of them uses SHA-1, and no transform removes anything but the signature.
var algorithms = map[string][]string{
	"CanonicalizationMethod": {"http://www.w3.org/2001/10/xml-exc-c14n#"},
	"Transform":              {"http://www.w3.org/2000/09/xmldsig#enveloped-signature", "http://www.w3.org/2001/10/xml-exc-c14n#"},
	"DigestMethod": {
		"http://www.w3.org/2001/04/xmlenc#sha256", "http://www.w3.org/2001/04/xmldsig-more#sha384", "http://www.w3.org/2001/04/xmlenc#sha512",
	},
	"SignatureMethod": {
		"http://www.w3.org/2001/04/xmldsig-more#rsa-sha256", "http://www.w3.org/2001/04/xmldsig-more#rsa-sha384", "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512",
		"http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256", "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha384", "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha512",
	},
}

// shape checks the structure of a response that has not been verified. It accepts only the form
// that honest identity providers send: a response that contains one assertion, with each signature
// inside the element that it signs. Every attack that shows one assertion to the verifier and another
// one to the reader needs a second element somewhere. checkShape refuses it before any signature is
// verified.
type shape struct {
	stack    []element
	elements int
	seen     map[string]int // number of elements by local name
	ids      map[string]bool
	prefixes map[string]bool // of namespaces
}

// element is an open element.
type element struct {
	name     string
	id       string
	children map[string]int
	text     bool
}

// errForm is the reason for refusing a form that no honest identity provider sends.
const errForm = "the answer has an unusual form"

// errElements is the refusal of a response with more elements than the library verifies.
var errElements = refuse("the answer is too large", "It has too many elements: let the identity provider send fewer attributes or groups.")

// checkShape refuses documents that do not have the form described at shape.
func checkShape(doc []byte) error {
	// This function and the library must read the same content. The library treats a document that it
	// cannot parse as compressed data.
	if doc[0] != '<' || bytes.Contains(doc, []byte("<![CDATA[")) {
		return refuse(errForm, "It is not a plain XML document.")
	}
	if bytes.Count(doc, []byte("<")) > 2*maxElements+1 {
		return errElements
	}
	s := &shape{seen: map[string]int{}, ids: map[string]bool{}, prefixes: map[string]bool{}}
	d := xml.NewDecoder(bytes.NewReader(doc))
	for begun := false; ; begun = true {
		t, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return refuse("the answer cannot be read", "It is not well-formed XML. Something between the identity provider and this server may have cut it.")
		}
		if err := s.token(t, begun); err != nil {
			return err
		}
	}
	switch {
	case len(s.stack) > 0:
		return refuse("the answer cannot be read", "It ends in the middle.")
	case s.seen["EncryptedAssertion"] > 0:
		return refuse("the answer is encrypted", "Switch off the encryption of assertions at the identity provider: they come over an encrypted connection anyway.")
	}
	return nil
}

func (s *shape) token(t xml.Token, begun bool) error {
	switch t := t.(type) {
	case xml.Comment:
		return refuse(errForm, "It has a comment in it.")
	case xml.Directive:
		return refuse(errForm, "It has a document type definition.")
	case xml.ProcInst:
		if begun || t.Target != "xml" {
			return refuse(errForm, "It has a processing instruction in it.")
		}
		if p := strings.ToLower(string(t.Inst)); strings.Contains(p, "encoding") && !strings.Contains(p, "utf-8") {
			return refuse(errForm, "It is not in UTF-8.")
		}
	case xml.StartElement:
		return s.open(t)
	case xml.EndElement:
		return s.close(t.Name.Local)
	case xml.CharData:
		if len(s.stack) == 0 && len(bytes.TrimSpace(t)) > 0 {
			return refuse(errForm, "It has text outside of the response.")
		}
		if len(s.stack) > 0 && len(bytes.TrimSpace(t)) > 0 {
			s.stack[len(s.stack)-1].text = true
		}
	}
	return nil
}

func (s *shape) open(t xml.StartElement) error {
	name := t.Name.Local
	e := element{name: name, children: map[string]int{}}
	s.elements++
	s.seen[name]++
	switch {
	case s.elements > maxElements:
		return errElements
	case len(s.stack) >= maxDepth, len(t.Attr) > maxAttributes:
		return refuse(errForm, "Its elements are nested too deeply, or have too many attributes.")
	case slices.Contains(unique, name) && s.seen[name] > 1:
		return refuse(errForm, "It has the element %s more than once.", name)
	case name == "EncryptedID":
		return refuse("the answer is encrypted", "Switch off the encryption of names at the identity provider.")
	}
	for i, a := range t.Attr {
		if slices.ContainsFunc(t.Attr[:i], func(b xml.Attr) bool { return a.Name == b.Name }) {
			return refuse(errForm, "The element %s has the attribute %s twice.", name, a.Name.Local)
		}
		if a.Name.Space == "xmlns" {
			if s.prefixes[a.Name.Local] = true; len(s.prefixes) > maxPrefixes {
				return refuse(errForm, "It has more than %d prefixes of namespaces.", maxPrefixes)
			}
			continue
		}
		if !strings.EqualFold(a.Name.Local, "ID") {
			continue
		}
		if e.id != "" || s.ids[a.Value] {
			return refuse(errForm, "Two of its elements have the same id.")
		}
		e.id = a.Value
		s.ids[a.Value] = true
	}
	if err := s.place(e, t.Attr); err != nil {
		return err
	}
	if n := len(s.stack); n > 0 {
		s.stack[n-1].children[name]++
	}
	s.stack = append(s.stack, e)
	return nil
}

// above returns an open element: 0 is the innermost one. It returns the zero element if there are
// not that many.
func (s *shape) above(i int) element {
	if i >= len(s.stack) {
		return element{}
	}
	return s.stack[len(s.stack)-1-i]
}

// place checks that an element has an allowed parent, and that its algorithm is accepted.
func (s *shape) place(e element, attrs []xml.Attr) error {
	parent := s.above(0)
	wrong := refuse(errForm, "The element %s is at a place where it does not belong.", clip(e.name))
	if (e.name == "Response") != (len(s.stack) == 0) {
		return wrong
	}
	switch e.name {
	case "Assertion", "EncryptedAssertion", "Status":
		if parent.name != "Response" {
			return wrong
		}
	case "Subject", "Conditions":
		if parent.name != "Assertion" {
			return wrong
		}
	case "NameID", "SubjectConfirmation":
		if parent.name != "Subject" {
			return wrong
		}
	case "Signature":
		if parent.name != "Response" && parent.name != "Assertion" || parent.children["Signature"] > 0 {
			return wrong
		}
	case "SignedInfo", "SignatureValue", "KeyInfo":
		if parent.name != "Signature" || parent.children[e.name] > 0 {
			return wrong
		}
	case "Reference":
		owner := s.above(2)
		if parent.name != "SignedInfo" || parent.children["Reference"] > 0 {
			return wrong
		}
		if uri := attribute(attrs, "URI"); owner.id == "" || uri != "#"+owner.id {
			return refuse(errForm, "A signature is in another element than the one that it signs.")
		}
	default:
		if parent.name == "Signature" {
			return wrong
		}
	}
	if known, ok := algorithms[e.name]; ok && !slices.Contains(known, attribute(attrs, "Algorithm")) {
		return refuse("the answer is signed in a way that is not accepted", "Choose RSA or ECDSA with SHA-256 as the algorithm of signatures at the identity provider; it used %s %s.", e.name, clip(attribute(attrs, "Algorithm")))
	}
	return nil
}

func (s *shape) close(name string) error {
	if len(s.stack) == 0 || s.above(0).name != name {
		return refuse("the answer cannot be read", "It is not well-formed XML.")
	}
	e := s.above(0)
	s.stack = s.stack[:len(s.stack)-1]
	switch {
	case name == "SignatureValue" && !e.text,
		name == "Signature" && (e.children["SignedInfo"] != 1 || e.children["SignatureValue"] != 1),
		name == "SignedInfo" && e.children["Reference"] != 1,
		name == "NameID" && len(e.children) > 0:
		return refuse(errForm, "The element %s is not complete.", name)
	}
	return nil
}

// attribute returns the value of an attribute without a namespace prefix, or "".
func attribute(attrs []xml.Attr, name string) string {
	for _, a := range attrs {
		if a.Name.Space == "" && a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// clip shortens untrusted text and replaces control characters, for use in a message.
func clip(s string) string {
	const most = 200
	return strings.ToValidUTF8(strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, docs.ClipBytes(s, most)), "")
}
