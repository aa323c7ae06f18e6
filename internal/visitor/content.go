// Package visitor has the tokens of people who read a site.
//
// A content token is ours: the server gives it to whoever may read a site, and
// recognizes it again with every request for content. A visitor token is made by
// the backend of a site owner, who vouches with it for a visitor and what is known
// of them. Both are JSON Web Tokens with HMAC-SHA256; no other algorithm is ever
// accepted, whatever a token says of itself.
package visitor

import (
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/octavo-docs/octavo/internal/errs"
)

// maxContentToken bounds a content token in bytes: it travels in a header.
const maxContentToken = 16 << 10

// Content is what a content token says: which content of which site its bearer
// may read, and what is known of them. Everything that can be revoked is checked
// again with each request: the token names the share link, it is not the key.
type Content struct {
	Kind         string         `json:"kind"`
	Organization string         `json:"organization"`
	Site         string         `json:"site"`
	SiteSection  string         `json:"siteSection,omitempty"`
	SiteSpace    string         `json:"siteSpace"`
	Space        string         `json:"space"`
	Spaces       []string       `json:"spaces"`
	Claims       map[string]any `json:"claims,omitempty"`
	// ShareLink is the id of the share link that the visitor came by.
	ShareLink string `json:"shareLink,omitempty"`
	// VisitorKey is the version of the private key of the site that the visitor
	// token was signed with. It is 0 if the visitor had none.
	VisitorKey int `json:"visitorKey,omitempty"`
	// Preview allows reading a site that is not published.
	Preview bool `json:"preview,omitempty"`
	// PreviewBy is the id of the member who made the preview.
	PreviewBy string `json:"previewBy,omitempty"`
	// ChangeRequest and Revision are what the preview is of, in Space; at most one of
	// them is there. With neither, it is of everything that the member sees.
	ChangeRequest string `json:"changeRequest,omitempty"`
	Revision      string `json:"revision,omitempty"`
	// Expires is when the token ends, in seconds since 1970.
	Expires int64 `json:"exp"`
}

// contentKind distinguishes content tokens of sites from other tokens.
const contentKind = "site"

// Key signs content tokens.
type Key struct{ secret []byte }

// NewKey derives the key from the secret of the instance, so that nothing else
// that is made from the secret is a content token.
func NewKey(instanceSecret string) (Key, error) {
	secret, err := hkdf.Key(sha256.New, []byte(instanceSecret), nil, "octavo content tokens", 32)
	if err != nil {
		return Key{}, fmt.Errorf("derive the key of content tokens: %w", err)
	}
	return Key{secret}, nil
}

// Sign returns the token of some content. The same content has the same token, so
// that clients can cache by it. The error is Invalid if the claims are too large
// for a token that Verify accepts.
func (k Key) Sign(c Content) (string, error) {
	c.Kind = contentKind
	if c.Spaces == nil {
		c.Spaces = []string{}
	}
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, c).SignedString(k.secret)
	if err == nil && len(token) > maxContentToken {
		err = errs.E(errs.Invalid, "the claims of the visitor are too large: the token that holds them has %d bytes, and %d are the maximum; send fewer or shorter claims", len(token), maxContentToken)
	}
	return token, err
}

// Verify returns what a token says, or an error of the kind Unauthenticated if it
// was not signed with the key, or has expired.
func (k Key) Verify(token string, now time.Time) (Content, error) {
	var c Content
	if err := parse(token, maxContentToken, k.secret, now, &c); err != nil {
		return Content{}, err
	}
	if c.Kind != contentKind || c.Site == "" {
		return Content{}, refused(Malformed, "it is not for a site", nil)
	}
	return c, nil
}

// Ended reports whether the token of some content is no longer accepted.
func (c Content) Ended(now time.Time) bool { return !now.Before(time.Unix(c.Expires, 0).Add(leeway)) }

// IsToken reports whether a bearer token has the form of a JSON Web Token, which
// API tokens do not have.
func IsToken(s string) bool { return strings.HasPrefix(s, "eyJ") && strings.Count(s, ".") == 2 }

// Expiry returns when a token that is made now should end: shortly after a
// midnight (UTC), so that all tokens of a day are the same, and an hour from now
// at least, so that clients do not have to begin again at once.
func Expiry(now time.Time) int64 {
	const day = 24 * time.Hour
	return now.Add(time.Hour).UTC().Truncate(day).Add(day + 5*time.Minute).Unix()
}

// The claims that the library checks.

// GetExpirationTime implements jwt.Claims.
func (c Content) GetExpirationTime() (*jwt.NumericDate, error) {
	if c.Expires <= 0 || c.Expires > maxTime {
		return nil, nil
	}
	return jwt.NewNumericDate(time.Unix(c.Expires, 0)), nil
}

// GetIssuedAt implements jwt.Claims.
func (c Content) GetIssuedAt() (*jwt.NumericDate, error) { return nil, nil }

// GetNotBefore implements jwt.Claims.
func (c Content) GetNotBefore() (*jwt.NumericDate, error) { return nil, nil }

// GetIssuer implements jwt.Claims.
func (c Content) GetIssuer() (string, error) { return "", nil }

// GetSubject implements jwt.Claims.
func (c Content) GetSubject() (string, error) { return "", nil }

// GetAudience implements jwt.Claims.
func (c Content) GetAudience() (jwt.ClaimStrings, error) { return nil, nil }
