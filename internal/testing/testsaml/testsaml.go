// Package testsaml makes responses of an identity provider for tests, signed as real ones are,
// which tests can change.
package testsaml

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/beevik/etree"
	dsig "github.com/russellhaering/goxmldsig"
)

// IdP is an identity provider.
type IdP struct {
	EntityID string
	key      *rsa.PrivateKey
	der      []byte
}

// New returns a provider with a certificate that is valid around a moment.
func New(t testing.TB, entityID string, now time.Time) *IdP {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	cert := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: entityID}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, cert, cert, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return &IdP{entityID, key, der}
}

// Certificate returns the certificate in PEM.
func (p *IdP) Certificate() string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.der}))
}

// Answer is what an answer says.
type Answer struct {
	ACSURL, Audience string
	InResponseTo     string
	NameID, Format   string
	Attributes       map[string]string
	Now              time.Time
	AssertionID      string // empty: _assertion
	SignResponse     bool   // the response is signed, and not the assertion
	Method           string // of signatures; empty: RSA with SHA-256
	NoKeyInfo        bool
	Conditions       string // instead of those that fit
	Recipient        string // instead of ACSURL
}

// Document returns an answer before it is signed.
func (p *IdP) Document(a Answer) *etree.Document {
	if a.AssertionID == "" {
		a.AssertionID = "_assertion"
	}
	if a.Format == "" {
		a.Format = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress"
	}
	if a.Recipient == "" {
		a.Recipient = a.ACSURL
	}
	at := func(d time.Duration) string { return a.Now.Add(d).UTC().Format(time.RFC3339) }
	if a.Conditions == "" {
		a.Conditions = fmt.Sprintf(`<saml:Conditions NotBefore="%s" NotOnOrAfter="%s"><saml:AudienceRestriction><saml:Audience>%s</saml:Audience></saml:AudienceRestriction></saml:Conditions>`,
			at(-time.Minute), at(5*time.Minute), a.Audience)
	}
	reply := ""
	if a.InResponseTo != "" {
		reply = ` InResponseTo="` + a.InResponseTo + `"`
	}
	attributes := ""
	for name, value := range a.Attributes {
		attributes += `<saml:Attribute Name="` + name + `"><saml:AttributeValue>` + value + `</saml:AttributeValue></saml:Attribute>`
	}
	doc := etree.NewDocument()
	text := fmt.Sprintf(`<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_response" Version="2.0" IssueInstant="%[1]s" Destination="%[2]s"%[3]s>`+
		`<saml:Issuer>%[4]s</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>`+
		`<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="%[5]s" Version="2.0" IssueInstant="%[1]s"><saml:Issuer>%[4]s</saml:Issuer>`+
		`<saml:Subject><saml:NameID Format="%[6]s">%[7]s</saml:NameID><saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">`+
		`<saml:SubjectConfirmationData NotOnOrAfter="%[8]s" Recipient="%[9]s"%[3]s/></saml:SubjectConfirmation></saml:Subject>%[10]s`+
		`<saml:AuthnStatement AuthnInstant="%[1]s" SessionIndex="1"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`+
		`<saml:AttributeStatement>%[11]s</saml:AttributeStatement></saml:Assertion></samlp:Response>`,
		at(0), a.ACSURL, reply, p.EntityID, a.AssertionID, a.Format, a.NameID, at(5*time.Minute), a.Recipient, a.Conditions, attributes)
	if err := doc.ReadFromString(text); err != nil {
		panic(err) // of the test
	}
	return doc
}

// Sign signs the assertion of a document, or the response.
func (p *IdP) Sign(t testing.TB, doc *etree.Document, a Answer) {
	t.Helper()
	ctx, err := dsig.NewSigningContext(p.key, [][]byte{p.der})
	if err != nil {
		t.Fatal(err)
	}
	ctx.Canonicalizer = dsig.MakeC14N10ExclusiveCanonicalizerWithPrefixList("")
	if a.Method != "" {
		if err := ctx.SetSignatureMethod(a.Method); err != nil {
			t.Fatal(err)
		}
	}
	el := doc.Root()
	if !a.SignResponse {
		el = doc.FindElement("//Assertion")
	}
	signature, err := ctx.ConstructSignature(el, true)
	if err != nil {
		t.Fatal(err)
	}
	if a.NoKeyInfo {
		signature.RemoveChild(signature.SelectElement("KeyInfo"))
	}
	el.InsertChildAt(1, signature) // behind the issuer
}

// Respond returns a signed answer as a document.
func (p *IdP) Respond(t testing.TB, a Answer) *etree.Document {
	t.Helper()
	doc := p.Document(a)
	p.Sign(t, doc, a)
	return doc
}

// Encode returns an answer as a form has it.
func Encode(t testing.TB, doc *etree.Document) string {
	t.Helper()
	text, err := doc.WriteToString()
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString([]byte(text))
}

// EncodeText is Encode for a text.
func EncodeText(text string) string {
	return base64.StdEncoding.EncodeToString([]byte(strings.TrimSpace(text)))
}
