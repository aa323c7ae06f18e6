// Package visitor implements the tokens of visitors of a site.
//
// A content token is issued by this server to visitors who may read a site, and verified with
// every request for content. A visitor token is issued by the backend of a site owner, who
// vouches for a visitor and their claims. Both are JSON Web Tokens with HMAC-SHA256. No other
// algorithm is accepted, whatever the header of a token names.
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

// maxContentToken is the maximum size of a content token in bytes: it is sent in a header.
const maxContentToken = 16 << 10

// Content is the payload of a content token: the site and the content that its bearer may read,
// and the claims of the bearer. Everything that can be revoked is checked again with each
// request. The token has the id of a share link, not its key.
type Content struct {
	Kind         string         `json:"kind"`
	Organization string         `json:"organization"`
	Site         string         `json:"site"`
	SiteSection  string         `json:"siteSection,omitempty"`
	SiteSpace    string         `json:"siteSpace"`
	Space        string         `json:"space"`
	Spaces       []string       `json:"spaces"`
	Claims       map[string]any `json:"claims,omitempty"`
	// ShareLink is the id of the share link that the visitor used.
	ShareLink string `json:"shareLink,omitempty"`
	// VisitorKey is the version of the private key of the site that signed the visitor
	// token. It is 0 if there was no visitor token.
	VisitorKey int `json:"visitorKey,omitempty"`
	// Preview allows reading a site that is not published.
	Preview bool `json:"preview,omitempty"`
	// Live limits a preview to the parts of the site that are not drafts.
	Live bool `json:"live,omitempty"`
	// PreviewBy is the id of the member who created the preview.
	PreviewBy string `json:"previewBy,omitempty"`
	// ChangeRequest and Revision limit the preview to a draft in Space. At most one of them
	// is set. If neither is set, the preview shows everything that the member sees.
	ChangeRequest string `json:"changeRequest,omitempty"`
	Revision      string `json:"revision,omitempty"`
	// Expires is the expiry of the token, in Unix seconds.
	Expires int64 `json:"exp"`
}

// contentKind distinguishes content tokens of sites from other tokens.
const contentKind = "site"

// Key signs and verifies content tokens.
type Key struct{ secret []byte }

// NewKey derives the key from the secret of the instance. The derivation ensures that nothing
// else that is signed with the secret is a valid content token.
func NewKey(instanceSecret string) (Key, error) {
	secret, err := hkdf.Key(sha256.New, []byte(instanceSecret), nil, "octavo content tokens", 32)
	if err != nil {
		return Key{}, fmt.Errorf("derive the key of content tokens: %w", err)
	}
	return Key{secret}, nil
}

// Sign returns the token for a payload. The same payload results in the same token, so that
// clients can use it as a cache key. The error is Invalid if the token would be too large for
// Verify.
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

// Verify returns the payload of a token. The error is Unauthenticated if the token was not signed
// with the key, or has expired.
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

// Ended reports whether the token with this payload has expired.
func (c Content) Ended(now time.Time) bool { return !now.Before(time.Unix(c.Expires, 0).Add(leeway)) }

// IsToken reports whether a bearer token has the form of a JSON Web Token. API tokens do not
// have this form.
func IsToken(s string) bool { return strings.HasPrefix(s, "eyJ") && strings.Count(s, ".") == 2 }

// Expiry returns the expiry for a token that is issued now: shortly after a midnight (UTC), so
// that all tokens of a day are equal. It is at least one hour ahead, so that clients do not need
// a new token at once.
func Expiry(now time.Time) int64 {
	const day = 24 * time.Hour
	return now.Add(time.Hour).UTC().Truncate(day).Add(day + 5*time.Minute).Unix()
}

// The methods below implement jwt.Claims, which the library validates.

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
