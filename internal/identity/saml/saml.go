// Package saml implements a SAML 2.0 service provider: its metadata, its requests to an identity
// provider, and the verification of responses. It has no state. The caller must check that a response
// answers one of its requests, and that the assertion was not used before.
//
// Where a change goes:
//   - which SAML answers are accepted: the form in shape.go, what it says in response.go
package saml

import (
	"bytes"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"time"

	saml2 "github.com/russellhaering/gosaml2"
	dsig "github.com/russellhaering/goxmldsig"
)

// Provider is an identity provider, together with our service as the provider has it configured.
type Provider struct {
	EntityID     string // of the identity provider
	SSOURL       string // destination of requests
	Certificates []*x509.Certificate
	Service      Service
	Key          *Key // signs requests; nil: requests are not signed
	EmailNameID  bool // the NameID must be an e-mail address
}

// Service describes our service provider to an identity provider.
type Service struct {
	EntityID string
	ACSURL   string // assertion consumer service: destination of responses
}

// Key is a key pair of our service provider.
type Key struct {
	Private     *rsa.PrivateKey
	Certificate []byte // DER
}

// Formats of a NameID.
const (
	emailFormat      = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress"
	persistentFormat = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"
)

// library returns the configuration of the library for one certificate. To verify a response, now
// is the result of validationTime, so that nothing expires too early.
func (p Provider) library(cert *x509.Certificate, now time.Time) *saml2.SAMLServiceProvider {
	sp := &saml2.SAMLServiceProvider{
		IdentityProviderSSOURL: p.SSOURL, IdentityProviderIssuer: p.EntityID,
		AssertionConsumerServiceURL: p.Service.ACSURL, ServiceProviderIssuer: p.Service.EntityID, AudienceURI: p.Service.EntityID,
		IDPCertificateStore: &dsig.MemoryX509CertificateStore{}, AllowMissingAttributes: true,
		Clock: dsig.NewFakeClockAt(now), MaximumDecompressedBodySize: MaxResponse, MaximumXMLTokens: 8 * maxElements,
	}
	if cert != nil {
		sp.IDPCertificateStore = &dsig.MemoryX509CertificateStore{Roots: []*x509.Certificate{cert}}
	}
	if p.EmailNameID {
		sp.NameIdFormat = emailFormat
	}
	return sp
}

// Request returns the URL that sends an authentication request to the identity provider, and the id of
// the request. The response must refer to that id.
func (p Provider) Request(now time.Time) (address, id string, err error) {
	sp := p.library(nil, now)
	if p.Key != nil {
		sp.SignAuthnRequests, sp.SignAuthnRequestsAlgorithm = true, dsig.RSASHA256SignatureMethod
		if err := sp.SetSPKeyStore(&saml2.KeyStore{Signer: p.Key.Private, Cert: p.Key.Certificate}); err != nil {
			return "", "", err
		}
	}
	doc, err := sp.BuildAuthRequestDocumentNoSig()
	if err != nil {
		return "", "", err
	}
	id = doc.Root().SelectAttrValue("ID", "")
	address, err = sp.BuildAuthURLRedirect("", doc)
	return address, id, err
}

// Metadata returns the metadata document of our service provider.
func (p Provider) Metadata() ([]byte, error) {
	type certificate struct {
		Data string `xml:"http://www.w3.org/2000/09/xmldsig# X509Data>X509Certificate"`
	}
	type keyDescriptor struct {
		Use     string      `xml:"use,attr"`
		KeyInfo certificate `xml:"http://www.w3.org/2000/09/xmldsig# KeyInfo"`
	}
	type endpoint struct {
		Binding  string `xml:"Binding,attr"`
		Location string `xml:"Location,attr"`
		Index    int    `xml:"index,attr"`
		Default  bool   `xml:"isDefault,attr"`
	}
	type descriptor struct {
		Signed     bool            `xml:"AuthnRequestsSigned,attr"`
		WantSigned bool            `xml:"WantAssertionsSigned,attr"`
		Protocols  string          `xml:"protocolSupportEnumeration,attr"`
		Keys       []keyDescriptor `xml:"KeyDescriptor"`
		Format     string          `xml:"NameIDFormat,omitempty"`
		ACS        endpoint        `xml:"AssertionConsumerService"`
	}
	type entity struct {
		XMLName  xml.Name   `xml:"urn:oasis:names:tc:SAML:2.0:metadata EntityDescriptor"`
		EntityID string     `xml:"entityID,attr"`
		Role     descriptor `xml:"SPSSODescriptor"`
	}
	e := entity{EntityID: p.Service.EntityID, Role: descriptor{
		Signed: p.Key != nil, WantSigned: true, Protocols: "urn:oasis:names:tc:SAML:2.0:protocol",
		ACS: endpoint{"urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST", p.Service.ACSURL, 1, true},
	}}
	if p.EmailNameID {
		e.Role.Format = emailFormat
	}
	if p.Key != nil {
		e.Role.Keys = []keyDescriptor{{"signing", certificate{base64.StdEncoding.EncodeToString(p.Key.Certificate)}}}
	}
	var b bytes.Buffer
	b.WriteString(xml.Header)
	enc := xml.NewEncoder(&b)
	enc.Indent("", "  ")
	if err := enc.Encode(e); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// Refusal is the reason why a response is not accepted.
type Refusal struct {
	Reason string // for all users: the problem in a few words
	Detail string // for administrators: what to do
}

func (r *Refusal) Error() string { return r.Reason + ": " + r.Detail }

func refuse(reason, format string, args ...any) *Refusal {
	return &Refusal{reason, fmt.Sprintf(format, args...)}
}
