package saml

import (
	"crypto/x509"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"time"

	saml2 "github.com/russellhaering/gosaml2"
	"github.com/russellhaering/gosaml2/types"
	dsig "github.com/russellhaering/goxmldsig"
	"github.com/russellhaering/goxmldsig/etreeutils"

	"github.com/octavo-docs/octavo/internal/errs"
)

const (
	// Skew is the maximum accepted difference between the identity provider's clock and ours.
	Skew = 2 * time.Minute
	// maxAge is the maximum age of an assertion, even if the assertion itself allows more. It
	// limits how long the id of an assertion must be stored.
	maxAge = time.Hour
)

// Assertion is the content of a verified assertion. All of it was read from the bytes that the
// signature covers.
type Assertion struct {
	ID           string
	InResponseTo string // id of the request; empty: the sign-in began at the identity provider
	Name         string // NameID of the subject
	Persistent   bool   // the name does not change with the e-mail address
	Attributes   map[string][]string
	Until        time.Time // time from which the assertion is refused
}

// Check verifies a base64-encoded response and returns its assertion. The error is a *Refusal if the
// response is not acceptable.
func (p Provider) Check(encoded string, now time.Time) (Assertion, error) {
	doc, err := decode(encoded)
	if err != nil {
		return Assertion{}, err
	}
	if err := checkShape(doc); err != nil {
		return Assertion{}, err
	}
	response, err := p.verify(base64.StdEncoding.EncodeToString(doc), now)
	if err != nil {
		return Assertion{}, err
	}
	return p.read(response, now)
}

func decode(encoded string) ([]byte, error) {
	if base64.StdEncoding.DecodedLen(len(encoded)) > MaxResponse+MaxResponse/16 { // the text may contain line ends
		return nil, refuse("the answer is too large", "It may have %s: let the identity provider send fewer attributes or groups.", errs.Size(MaxResponse))
	}
	doc, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(encoded, " ", ""))
	if err != nil || len(doc) == 0 {
		return nil, refuse("the answer cannot be read", "It is not encoded as base64.")
	}
	if len(doc) > MaxResponse {
		return nil, refuse("the answer is too large", "It may have %s: let the identity provider send fewer attributes or groups.", errs.Size(MaxResponse))
	}
	return doc, nil
}

// verify checks the signatures of a response. It tries each certificate separately, because a
// response need not name the certificate that it was signed with.
func (p Provider) verify(encoded string, now time.Time) (*types.Response, error) {
	if len(p.Certificates) == 0 {
		return nil, refuse("single sign-on is not set up", "Set the certificate of the identity provider.")
	}
	var certificates error = errOther
	for _, cert := range p.Certificates {
		response, err := p.library(cert, validationTime(cert, now)).ValidateEncodedResponse(encoded)
		switch {
		case err == nil && len(response.Assertions) == 1 && (response.SignatureValidated || response.Assertions[0].SignatureValidated):
			return response, nil
		case err == nil:
			err = dsig.ErrMissingSignature
		case strings.Contains(err.Error(), "Cert is not valid at this time"):
			certificates = refuse("the certificate of the identity provider is not valid now",
				"It is valid from %s to %s. Set the one that follows it.", stamp(cert.NotBefore), stamp(cert.NotAfter))
			continue
		}
		if refusal := p.explain(err, now); refusal != nil {
			return nil, refusal
		}
	}
	return nil, certificates
}

// validationTime returns the time at which the library checks that a response has not expired. It is
// Skew before now, because our clock may be ahead. If cert becomes valid within Skew of now, it is
// the NotBefore of cert, so that a certificate that was just created is accepted.
func validationTime(cert *x509.Certificate, now time.Time) time.Time {
	at := now.Add(-Skew)
	if from := cert.NotBefore; at.Before(from) && !now.Add(Skew).Before(from) {
		return from
	}
	return at
}

// errOther is the refusal of a response that was signed with another key.
var errOther = refuse("the answer is not signed with a certificate that is known here",
	"Set the certificate that the identity provider uses now. While it changes, set both, one below the other.")

// explain turns an error of the library into a *Refusal with advice. It returns nil if the
// signature was not made with the certificate that was tried.
func (p Provider) explain(err error, now time.Time) error {
	var value saml2.ErrInvalidValue
	var missing saml2.ErrMissingElement
	switch {
	case strings.Contains(err.Error(), etreeutils.ErrTraversalLimit.Error()): // not always wrapped
		return errElements
	case errors.Is(err, dsig.ErrMissingSignature):
		return refuse("the answer is not signed", "Let the identity provider sign assertions, or the whole response.")
	case errors.As(err, &missing):
		return refuse(errForm, "It has no %s.", clip(strings.TrimSpace(missing.Tag+" "+missing.Attribute)))
	case errors.As(err, &value):
		switch value.Key {
		case saml2.IssuerTag:
			return refuse("the answer is from an unknown identity provider", "The issuer is %q; entityID is %q.", clip(value.Actual), p.EntityID)
		case saml2.DestinationAttr, saml2.RecipientAttr:
			return refuse("the answer is for another service", "Its %s is %q; the identity provider has to send answers to %s.", value.Key, clip(value.Actual), p.Service.ACSURL)
		case saml2.NotOnOrAfterAttr:
			return refuse("the answer has expired", "It was good until %s, and here it is %s. If that is not what happened, one of the two clocks is wrong.", clip(value.Actual), stamp(now))
		case saml2.StatusCodeTag:
			return refuse("the identity provider did not sign you in", "Its status is %s.", clip(value.Actual))
		}
		return refuse(errForm, "The %s is %q.", value.Key, clip(value.Actual))
	}
	return nil
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// read checks the audience and the times of a verified response and returns its assertion.
func (p Provider) read(r *types.Response, now time.Time) (Assertion, error) {
	a := r.Assertions[0]
	data := a.Subject.SubjectConfirmation.SubjectConfirmationData
	out := Assertion{ID: a.ID, InResponseTo: data.InResponseTo, Attributes: map[string][]string{}}
	if r.InResponseTo != data.InResponseTo {
		return out, refuse(errForm, "The response and its assertion answer different requests.")
	}
	if a.ID == "" || a.Subject.NameID == nil || strings.TrimSpace(a.Subject.NameID.Value) == "" {
		return out, refuse("the answer does not say who you are", "The assertion has no NameID.")
	}
	out.Name, out.Persistent = strings.TrimSpace(a.Subject.NameID.Value), a.Subject.NameID.Format == persistentFormat
	if err := p.checkConditions(a, now); err != nil {
		return out, err
	}
	confirmed, err := time.Parse(time.RFC3339, data.NotOnOrAfter)
	if err != nil {
		return out, refuse(errForm, "The time %q cannot be read.", clip(data.NotOnOrAfter))
	}
	if age := now.Sub(a.IssueInstant); age >= maxAge || age < -Skew {
		return out, refuse("the answer has expired", "It was made at %s, and here it is %s. If that is not what happened, one of the two clocks is wrong.", stamp(a.IssueInstant), stamp(now))
	}
	out.Until = slices.MinFunc([]time.Time{confirmed.Add(Skew), a.IssueInstant.Add(maxAge)}, time.Time.Compare)
	if !now.Before(out.Until) {
		return out, refuse("the answer has expired", "It was good until %s, and here it is %s.", stamp(confirmed), stamp(now))
	}
	if a.AttributeStatement != nil {
		for _, attr := range a.AttributeStatement.Attributes {
			for _, v := range attr.Values {
				out.Attributes[attr.Name] = append(out.Attributes[attr.Name], strings.TrimSpace(v.Value))
			}
		}
	}
	return out, nil
}

func (p Provider) checkConditions(a types.Assertion, now time.Time) error {
	c := a.Conditions
	if c == nil || len(c.AudienceRestrictions) == 0 {
		return refuse("the answer is for another service", "It does not say for whom it is: set the audience at the identity provider to %s.", p.Service.EntityID)
	}
	for _, limit := range c.AudienceRestrictions {
		found := false
		for _, audience := range limit.Audiences {
			found = found || strings.TrimSpace(audience.Value) == p.Service.EntityID
		}
		if !found {
			return refuse("the answer is for another service", "Set the audience (also: entity id of the service provider) at the identity provider to %s.", p.Service.EntityID)
		}
	}
	for _, limit := range []struct {
		text  string
		wrong func(time.Time) bool
	}{
		{c.NotBefore, func(t time.Time) bool { return now.Add(Skew).Before(t) }},
		{c.NotOnOrAfter, func(t time.Time) bool { return !now.Add(-Skew).Before(t) }},
	} {
		if limit.text == "" {
			continue
		}
		t, err := time.Parse(time.RFC3339, limit.text)
		if err != nil {
			return refuse(errForm, "The time %q cannot be read.", clip(limit.text))
		}
		if limit.wrong(t) {
			return refuse("the answer is not valid now", "It is valid from %s to %s, and here it is %s: one of the two clocks is wrong, or the answer came late.", clip(c.NotBefore), clip(c.NotOnOrAfter), stamp(now))
		}
	}
	return nil
}
