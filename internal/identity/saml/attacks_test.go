package saml_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/beevik/etree"

	"github.com/octavo-docs/octavo/internal/identity/saml"
	"github.com/octavo-docs/octavo/internal/testing/testsaml"
)

// world is an identity provider whose responses the tests create.
type world struct {
	idp      *testsaml.IdP
	provider saml.Provider
	answer   testsaml.Answer
	now      time.Time
}

// honest is shared by all tests, because generating a key takes long.
var honest *testsaml.IdP

const evil = "evil@octavo.example"

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{now: time.Now().UTC().Truncate(time.Second)}
	if honest == nil {
		honest = testsaml.New(t, "https://idp.example/", w.now)
	}
	w.idp = honest
	w.provider = saml.Provider{
		EntityID: "https://idp.example/", SSOURL: "https://idp.example/sso", EmailNameID: true,
		Service: saml.Service{EntityID: "https://octavo.example/saml/1/metadata", ACSURL: "https://octavo.example/saml/1/acs"},
	}
	w.trust(t, w.idp)
	w.answer = testsaml.Answer{
		ACSURL: w.provider.Service.ACSURL, Audience: w.provider.Service.EntityID, InResponseTo: "_request", NameID: "ada@octavo.example", Now: w.now,
		Attributes: map[string]string{"first_name": "Ada"},
	}
	return w
}

func (w *world) trust(t testing.TB, all ...*testsaml.IdP) {
	t.Helper()
	text := ""
	for _, idp := range all {
		text += idp.Certificate()
	}
	certs, err := saml.ParseCertificates(text)
	if err != nil {
		t.Fatal(err)
	}
	w.provider.Certificates = certs
}

// accepted fails the test unless a response is accepted.
func (w *world) accepted(t testing.TB, encoded string) saml.Assertion {
	t.Helper()
	a, err := w.provider.Check(encoded, w.now)
	if err != nil {
		t.Fatalf("refused: %v", err)
	}
	if a.Name != "ada@octavo.example" || a.InResponseTo != w.answer.InResponseTo || a.ID != "_assertion" {
		t.Fatalf("%+v", a)
	}
	return a
}

// refused fails the test unless a response is refused with the given reason.
func (w *world) refused(t testing.TB, encoded, reason string) {
	t.Helper()
	a, err := w.provider.Check(encoded, w.now)
	var refusal *saml.Refusal
	if !errors.As(err, &refusal) || !strings.Contains(refusal.Error(), reason) {
		t.Errorf("%+v, %v; want %q", a, err, reason)
	}
}

// evilCopy returns an unsigned copy of an assertion with another name.
func evilCopy(assertion *etree.Element, id string) *etree.Element {
	c := assertion.Copy()
	c.CreateAttr("ID", id)
	if s := c.SelectElement("Signature"); s != nil {
		c.RemoveChild(s)
	}
	c.FindElement(".//NameID").SetText(evil)
	return c
}

// The eight signature wrapping attacks: the signed element stays in the document, and another
// element is presented to the reader.
func TestSignatureWrapping(t *testing.T) {
	attacks := []struct {
		name     string
		response bool // the response is signed
		do       func(doc *etree.Document, response, assertion, signature *etree.Element)
	}{
		{"XSW1: a response around a signed one, in its signature", true, func(doc *etree.Document, response, _, signature *etree.Element) {
			outer := response.Copy()
			outer.CreateAttr("ID", "_evil")
			outer.FindElement(".//NameID").SetText(evil)
			response.RemoveChild(signature)
			s := outer.SelectElement("Signature")
			s.AddChild(response)
			doc.SetRoot(outer)
		}},
		{"XSW2: the signature beside the signed response", true, func(doc *etree.Document, response, _, signature *etree.Element) {
			outer := response.Copy()
			outer.RemoveChild(outer.SelectElement("Signature"))
			outer.CreateAttr("ID", "_evil")
			outer.FindElement(".//NameID").SetText(evil)
			response.RemoveChild(signature)
			outer.InsertChildAt(0, signature)
			outer.InsertChildAt(0, response)
			doc.SetRoot(outer)
		}},
		{"XSW3: an assertion before the signed one", false, func(_ *etree.Document, response, assertion, _ *etree.Element) {
			response.InsertChildAt(assertion.Index(), evilCopy(assertion, "_evil"))
		}},
		{"XSW4: the signed assertion in another one", false, func(_ *etree.Document, response, assertion, _ *etree.Element) {
			e := evilCopy(assertion, "_evil")
			response.RemoveChild(assertion)
			e.AddChild(assertion)
			response.AddChild(e)
		}},
		{"XSW5: the signature in the forged assertion, the signed one at the end", false, func(_ *etree.Document, response, assertion, signature *etree.Element) {
			e := evilCopy(assertion, "_evil")
			original := assertion.Copy()
			original.RemoveChild(original.SelectElement("Signature"))
			e.InsertChildAt(1, signature)
			response.RemoveChild(assertion)
			response.AddChild(e)
			response.AddChild(original)
		}},
		{"XSW6: the signed assertion in the signature", false, func(_ *etree.Document, response, assertion, signature *etree.Element) {
			e := evilCopy(assertion, "_evil")
			original := assertion.Copy()
			original.RemoveChild(original.SelectElement("Signature"))
			signature.AddChild(original)
			e.InsertChildAt(1, signature)
			response.RemoveChild(assertion)
			response.AddChild(e)
		}},
		{"XSW7: a forged assertion in extensions", false, func(_ *etree.Document, response, assertion, _ *etree.Element) {
			x := etree.NewElement("samlp:Extensions")
			x.AddChild(evilCopy(assertion, "_assertion"))
			response.InsertChildAt(1, x)
		}},
		{"XSW8: the signed assertion in an object of the signature", false, func(_ *etree.Document, response, assertion, signature *etree.Element) {
			original := assertion.Copy()
			original.RemoveChild(original.SelectElement("Signature"))
			object := signature.CreateElement("ds:Object")
			object.AddChild(original)
			assertion.CreateAttr("ID", "_evil")
			assertion.FindElement("./Subject/NameID").SetText(evil)
		}},
		{"two assertions, the second unsigned", false, func(_ *etree.Document, response, assertion, _ *etree.Element) {
			response.AddChild(evilCopy(assertion, "_evil"))
		}},
		{"the assertion of a signed response swapped", true, func(_ *etree.Document, response, assertion, _ *etree.Element) {
			response.AddChild(evilCopy(assertion, "_assertion"))
			response.RemoveChild(assertion)
		}},
		{"the same id twice", false, func(_ *etree.Document, response, _, _ *etree.Element) {
			response.SelectElement("Status").CreateAttr("ID", "_assertion")
		}},
		{"two names in one assertion", true, func(_ *etree.Document, _, assertion, _ *etree.Element) {
			assertion.FindElement("./Subject").AddChild(evilCopy(assertion, "_evil").FindElement(".//NameID").Copy())
		}},
		{"another name", false, func(_ *etree.Document, _, assertion, _ *etree.Element) {
			assertion.FindElement("./Subject/NameID").SetText(evil)
		}},
		{"no signature", false, func(_ *etree.Document, _, assertion, signature *etree.Element) { assertion.RemoveChild(signature) }},
		{"a reference to another element", false, func(_ *etree.Document, response, assertion, signature *etree.Element) {
			assertion.RemoveChild(signature)
			response.InsertChildAt(1, signature)
		}},
		{"a reference to the whole document", false, func(_ *etree.Document, _, _, signature *etree.Element) {
			signature.FindElement(".//Reference").CreateAttr("URI", "")
		}},
		{"an empty signature", false, func(_ *etree.Document, _, _, signature *etree.Element) {
			signature.FindElement(".//SignatureValue").SetText("")
		}},
		{"an unknown transformation", false, func(_ *etree.Document, _, _, signature *etree.Element) {
			signature.FindElement(".//Transform").CreateAttr("Algorithm", "http://www.w3.org/TR/1999/REC-xpath-19991116")
		}},
		{"a second reference", false, func(_ *etree.Document, _, _, signature *etree.Element) {
			info := signature.SelectElement("SignedInfo")
			info.AddChild(info.SelectElement("Reference").Copy())
		}},
		{"a second signed info", false, func(_ *etree.Document, _, _, signature *etree.Element) {
			signature.AddChild(signature.SelectElement("SignedInfo").Copy())
		}},
		{"a digest of a key nobody has", false, func(_ *etree.Document, _, _, signature *etree.Element) {
			signature.FindElement(".//SignatureMethod").CreateAttr("Algorithm", "http://www.w3.org/2000/09/xmldsig#hmac-sha1")
		}},
	}
	for _, a := range attacks {
		t.Run(a.name, func(t *testing.T) {
			w := newWorld(t)
			w.answer.SignResponse = a.response
			doc := w.idp.Respond(t, w.answer)
			w.accepted(t, testsaml.Encode(t, doc))
			a.do(doc, doc.Root(), doc.FindElement("//Assertion"), doc.FindElement("//Signature"))
			w.refused(t, testsaml.Encode(t, doc), "")
		})
	}
}

// A response that is signed with another key is refused, whatever certificate it contains.
func TestKeys(t *testing.T) {
	w := newWorld(t)
	w.accepted(t, testsaml.Encode(t, w.idp.Respond(t, w.answer)))
	stranger := testsaml.New(t, w.idp.EntityID, w.now)
	const unknown = "not signed with a certificate that is known here"
	w.refused(t, testsaml.Encode(t, stranger.Respond(t, w.answer)), unknown) // with its own certificate in KeyInfo
	unnamed := w.answer
	unnamed.NoKeyInfo = true
	w.accepted(t, testsaml.Encode(t, w.idp.Respond(t, unnamed)))
	w.refused(t, testsaml.Encode(t, stranger.Respond(t, unnamed)), unknown)

	sha1 := w.answer
	sha1.Method = "http://www.w3.org/2000/09/xmldsig#rsa-sha1"
	w.refused(t, testsaml.Encode(t, w.idp.Respond(t, sha1)), "SHA-256")

	// During a change of certificates, responses of both keys are accepted, with and without KeyInfo.
	w.trust(t, w.idp, stranger)
	for _, idp := range []*testsaml.IdP{w.idp, stranger} {
		w.accepted(t, testsaml.Encode(t, idp.Respond(t, w.answer)))
		w.accepted(t, testsaml.Encode(t, idp.Respond(t, unnamed)))
	}
	w.trust(t, stranger)
	w.refused(t, testsaml.Encode(t, w.idp.Respond(t, w.answer)), unknown)

	// An expired certificate, alone and together with a valid one.
	old := testsaml.New(t, w.idp.EntityID, w.now.AddDate(-1, 0, 0))
	w.trust(t, old)
	w.refused(t, testsaml.Encode(t, old.Respond(t, w.answer)), "not valid now")
	w.trust(t, old, w.idp)
	w.accepted(t, testsaml.Encode(t, w.idp.Respond(t, unnamed)))

	// A certificate that was just created by a clock slightly ahead of ours, and one for later.
	for from, good := range map[time.Duration]bool{-time.Second: true, time.Minute: true, 3 * time.Minute: false} {
		fresh := testsaml.New(t, w.idp.EntityID, w.now.Add(time.Hour+from))
		w.trust(t, fresh)
		if answer := testsaml.Encode(t, fresh.Respond(t, w.answer)); good {
			w.accepted(t, answer)
		} else {
			w.refused(t, answer, "not valid now")
		}
	}
}

// Documents that parsers read differently, or that take too long to read.
func TestDocuments(t *testing.T) {
	w := newWorld(t)
	good, err := w.idp.Respond(t, w.answer).WriteToString()
	if err != nil {
		t.Fatal(err)
	}
	w.accepted(t, testsaml.EncodeText(good))
	w.accepted(t, testsaml.EncodeText("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"+good))
	for name, text := range map[string]string{
		"a comment in the name":        strings.Replace(good, "ada@octavo", "ada@<!---->octavo", 1),
		"a comment elsewhere":          strings.Replace(good, "<samlp:Status>", "<!-- x --><samlp:Status>", 1),
		"an element in the name":       strings.Replace(good, "ada@octavo", "ada@<x/>octavo", 1),
		"a type definition":            `<!DOCTYPE r [<!ENTITY x "y">]>` + good,
		"an entity":                    strings.Replace(good, "ada@", "ada&x;@", 1),
		"an instruction":               strings.Replace(good, "<samlp:Status>", "<?php x?><samlp:Status>", 1),
		"another character set":        `<?xml version="1.0" encoding="UTF-7"?>` + good,
		"two roots":                    good + good,
		"text behind it":               good + "<x/>",
		"text before it":               "x" + good,
		"text between":                 good + " x ",
		"a part that is not parsed":    strings.Replace(good, "ada@octavo", "<![CDATA[ada@octavo]]>", 1),
		"an attribute twice":           strings.Replace(good, "<samlp:Status>", `<samlp:Status a="1" a="2">`, 1),
		"cut":                          good[:len(good)-20],
		"nothing":                      "",
		"no XML":                       "hello",
		"nested deeply":                strings.Replace(good, "<samlp:Status>", strings.Repeat("<x>", 5000)+strings.Repeat("</x>", 5000)+"<samlp:Status>", 1),
		"many elements":                strings.Replace(good, "<samlp:Status>", strings.Repeat("<x/>", 6000)+"<samlp:Status>", 1),
		"many attributes":              strings.Replace(good, "<samlp:Status>", "<samlp:Status "+strings.Repeat("a", 40)+strings.Join(make([]string, 41), `="" a`)+`="">`, 1),
		"ten megabytes":                strings.Replace(good, "<samlp:Status>", strings.Repeat(" ", 10<<20)+"<samlp:Status>", 1),
		"an encrypted assertion":       strings.Replace(good, "<samlp:Status>", "<saml:EncryptedAssertion/><samlp:Status>", 1),
		"another root":                 strings.ReplaceAll(good, "samlp:Response", "samlp:LogoutResponse"),
		"a prefix that does not match": strings.Replace(good, "</samlp:Status>", "</saml:Status>", 1),
	} {
		t.Run(name, func(t *testing.T) { w.refused(t, testsaml.EncodeText(text), "") })
	}
	w.refused(t, "%%%", "base64")
}

// A small response takes no long time to be refused, and a large one of an honest provider is refused
// with the true reason.
func TestLimits(t *testing.T) {
	w := newWorld(t)
	good, err := w.idp.Respond(t, w.answer).WriteToString()
	if err != nil {
		t.Fatal(err)
	}
	// The library copies the namespaces of an element for each element inside.
	const depth, each, inside = 25, 30, 400
	chain := ""
	for i := range depth {
		chain += "<y"
		for j := range each {
			chain += fmt.Sprintf(` xmlns:a%d="u"`, i*each+j)
		}
		chain += ">"
	}
	chain += strings.Repeat("<x/>", inside) + strings.Repeat("</y>", depth)
	w.refused(t, testsaml.EncodeText(strings.Replace(good, "<samlp:Status>", chain+"<samlp:Status>", 1)), "prefixes of namespaces")
	few := strings.Repeat(`<x xmlns:xs="u" xmlns:xsi="v"/>`, inside)
	w.accepted(t, testsaml.EncodeText(strings.Replace(good, "<samlp:Status>", few+"<samlp:Status>", 1)))

	for _, signResponse := range []bool{false, true} {
		a := w.answer
		a.SignResponse = signResponse
		for groups, accepted := range map[int]bool{450: true, 600: false, 1500: false, 5500: false} {
			doc := w.idp.Document(a)
			attr := doc.FindElement("//Attribute")
			for range groups {
				attr.CreateElement("saml:AttributeValue").SetText("g")
			}
			w.idp.Sign(t, doc, a)
			if text := testsaml.Encode(t, doc); accepted {
				w.accepted(t, text)
			} else {
				w.refused(t, text, "fewer attributes or groups")
			}
		}
	}
}

// The audience, the times and the request of a response must match.
func TestWhatAnAnswerSays(t *testing.T) {
	conditions := func(w *world, from, to time.Duration, audience string) string {
		return `<saml:Conditions NotBefore="` + w.now.Add(from).Format(time.RFC3339) + `" NotOnOrAfter="` + w.now.Add(to).Format(time.RFC3339) + `">` + audience + `</saml:Conditions>`
	}
	us := "<saml:AudienceRestriction><saml:Audience>https://octavo.example/saml/1/metadata</saml:Audience></saml:AudienceRestriction>"
	them := "<saml:AudienceRestriction><saml:Audience>https://other.example/</saml:Audience></saml:AudienceRestriction>"
	for name, c := range map[string]struct {
		change func(w *world, a *testsaml.Answer)
		reason string
	}{
		"recipient":       {func(_ *world, a *testsaml.Answer) { a.Recipient = "https://other.example/acs" }, "for another service"},
		"destination":     {func(_ *world, a *testsaml.Answer) { a.ACSURL, a.Recipient = "https://other.example/acs", a.ACSURL }, "for another service"},
		"audience":        {func(_ *world, a *testsaml.Answer) { a.Audience = "https://other.example/" }, "for another service"},
		"no audience":     {func(w *world, a *testsaml.Answer) { a.Conditions = conditions(w, -time.Minute, time.Minute, "") }, "for another service"},
		"two audiences":   {func(w *world, a *testsaml.Answer) { a.Conditions = conditions(w, -time.Minute, time.Minute, us+them) }, "for another service"},
		"not yet valid":   {func(w *world, a *testsaml.Answer) { a.Conditions = conditions(w, 3*time.Minute, 5*time.Minute, us) }, "not valid now"},
		"no longer valid": {func(w *world, a *testsaml.Answer) { a.Conditions = conditions(w, -9*time.Minute, -3*time.Minute, us) }, "not valid now"},
		"an hour old":     {func(w *world, a *testsaml.Answer) { a.Now = w.now.Add(-time.Hour) }, "expired"},
		"from the future": {func(w *world, a *testsaml.Answer) { a.Now = w.now.Add(time.Hour) }, "clock"},
		"no name":         {func(_ *world, a *testsaml.Answer) { a.NameID = " " }, "does not say who you are"},
		"another issuer":  {func(w *world, _ *testsaml.Answer) { w.provider.EntityID = "https://else.example/" }, "unknown identity provider"},
		"no certificate":  {func(w *world, _ *testsaml.Answer) { w.provider.Certificates = nil }, "not set up"},
		"a time that is none": {func(_ *world, a *testsaml.Answer) {
			a.Conditions = `<saml:Conditions NotBefore="soon">` + us + `</saml:Conditions>`
		}, "cannot be read"},
		"no conditions at all": {func(_ *world, a *testsaml.Answer) { a.Conditions = "<saml:Advice/>" }, "for another service"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.accepted(t, testsaml.Encode(t, w.idp.Respond(t, w.answer)))
			a := w.answer
			c.change(w, &a)
			w.refused(t, testsaml.Encode(t, w.idp.Respond(t, a)), c.reason)
		})
	}
	t.Run("clocks that differ a little", func(t *testing.T) {
		w := newWorld(t)
		for _, d := range []time.Duration{-time.Minute, time.Minute} {
			a := w.answer
			a.Now = w.now.Add(d)
			w.accepted(t, testsaml.Encode(t, w.idp.Respond(t, a)))
		}
	})
	t.Run("the response answers another request than its assertion", func(t *testing.T) {
		w := newWorld(t)
		doc := w.idp.Respond(t, w.answer)
		w.accepted(t, testsaml.Encode(t, doc))
		doc.Root().CreateAttr("InResponseTo", "_other")
		w.refused(t, testsaml.Encode(t, doc), "different requests")
	})
	t.Run("a status that is no success", func(t *testing.T) {
		w := newWorld(t)
		doc := w.idp.Respond(t, w.answer)
		w.accepted(t, testsaml.Encode(t, doc))
		doc.FindElement("//StatusCode").CreateAttr("Value", "urn:oasis:names:tc:SAML:2.0:status:Responder")
		w.refused(t, testsaml.Encode(t, doc), "did not sign you in")
	})
}

// FuzzCheck modifies a response. A response that is accepted must still have the same name.
func FuzzCheck(f *testing.F) {
	w := newWorld(f)
	for _, signResponse := range []bool{false, true} {
		a := w.answer
		a.SignResponse = signResponse
		text, err := w.idp.Respond(f, a).WriteToString()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add("<a>")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := w.provider.Check(testsaml.EncodeText(text), w.now)
		if err == nil && a.Name != "ada@octavo.example" {
			t.Errorf("%q", a.Name)
		}
	})
}
