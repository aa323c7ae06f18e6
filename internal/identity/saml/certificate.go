package saml

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"
)

// MaxCertificates is the maximum number of certificates of a provider: the current one and its
// successor.
const MaxCertificates = 2

// minBits is the minimum size of an RSA key.
const minBits = 2048

// ParseCertificates parses the certificates of an identity provider, in PEM. Its errors are messages
// for the user who entered the certificates.
func ParseCertificates(text string) ([]*x509.Certificate, error) {
	rest := []byte(strings.TrimSpace(text))
	var out []*x509.Certificate
	for len(rest) > 0 {
		block, more := pem.Decode(rest)
		if block == nil {
			return nil, errors.New("is not PEM: paste the certificate with its lines BEGIN CERTIFICATE and END CERTIFICATE")
		}
		if block.Type != "CERTIFICATE" {
			return nil, fmt.Errorf("holds a %s: only certificates belong here", strings.ToLower(block.Type))
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, errors.New("holds a certificate that cannot be read")
		}
		switch key := c.PublicKey.(type) {
		case *rsa.PublicKey:
			if key.N.BitLen() < minBits {
				return nil, fmt.Errorf("has a key of %d bits: use one of at least %d", key.N.BitLen(), minBits)
			}
		case *ecdsa.PublicKey:
		default:
			return nil, errors.New("has a key that is neither RSA nor ECDSA")
		}
		if out = append(out, c); len(out) > MaxCertificates {
			return nil, fmt.Errorf("holds more than %d certificates: the one in use, and the one that follows it", MaxCertificates)
		}
		rest = []byte(strings.TrimSpace(string(more)))
	}
	return out, nil
}

// NewKey generates a key that signs requests, and a certificate for it. Identity providers use only
// the public key of the certificate.
func NewKey(name string, now time.Time) (*Key, error) {
	private, err := rsa.GenerateKey(rand.Reader, minBits)
	if err != nil {
		return nil, err
	}
	cert := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(20, 0, 0), KeyUsage: x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, cert, cert, &private.PublicKey, private)
	return &Key{private, der}, err
}

// Encode returns the key and its certificate in PEM. The result is secret.
func (k *Key) Encode() string {
	private := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(k.Private)})
	return string(private) + string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: k.Certificate}))
}

// DecodeKey parses the result of Encode.
func DecodeKey(text string) (*Key, error) {
	private, rest := pem.Decode([]byte(text))
	cert, _ := pem.Decode(rest)
	if private == nil || cert == nil {
		return nil, errors.New("the key for requests is damaged")
	}
	key, err := x509.ParsePKCS1PrivateKey(private.Bytes)
	return &Key{key, cert.Bytes}, err
}
