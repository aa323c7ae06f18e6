package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/octavo-docs/octavo/internal/identity/oidc"
)

// oidcFlags configure the OpenID Connect provider for all users of the server.
type oidcFlags struct {
	OIDCIssuer     string `help:"OpenID Connect provider through which everybody may sign in: its issuer, such as https://login.example.com." name:"oidc-issuer" env:"OCTAVO_OIDC_ISSUER" placeholder:"URL"`
	OIDCClientID   string `help:"With --oidc-issuer: id of this server there." name:"oidc-client-id" env:"OCTAVO_OIDC_CLIENT_ID" placeholder:"ID"`
	OIDCSecretFile string `help:"With --oidc-issuer: file with the client secret; or set OCTAVO_OIDC_CLIENT_SECRET." name:"oidc-client-secret-file" env:"OCTAVO_OIDC_CLIENT_SECRET_FILE" placeholder:"FILE"`
	OIDCLabel      string `help:"With --oidc-issuer: what people know the provider by; its host without it." name:"oidc-label" env:"OCTAVO_OIDC_LABEL" placeholder:"TEXT"`
	OIDCTrustEmail bool   `help:"With --oidc-issuer: an address that the provider calls verified is as good as a link by mail, so whoever has it there gets the account of that address here." name:"oidc-trust-email" env:"OCTAVO_OIDC_TRUST_EMAIL"`
}

// secretVariable is the environment variable with the client secret. There is no flag,
// because other users of the machine can see the arguments of a process.
const secretVariable = "OCTAVO_OIDC_CLIENT_SECRET"

// provider returns the configured provider, or nil if there is none.
func (f oidcFlags) provider() (*oidc.Operator, error) {
	if f.OIDCIssuer == "" {
		if f.OIDCClientID != "" || f.OIDCSecretFile != "" || f.OIDCLabel != "" || f.OIDCTrustEmail {
			return nil, errors.New("--oidc-client-id, --oidc-client-secret-file, --oidc-label and --oidc-trust-email are for --oidc-issuer")
		}
		return nil, nil
	}
	secret := os.Getenv(secretVariable)
	if f.OIDCSecretFile != "" {
		b, err := os.ReadFile(f.OIDCSecretFile)
		if err != nil {
			return nil, fmt.Errorf("--oidc-client-secret-file: %w", err)
		}
		secret = strings.TrimSpace(string(b))
	}
	o := &oidc.Operator{Label: f.OIDCLabel, Issuer: f.OIDCIssuer, ClientID: f.OIDCClientID, ClientSecret: secret, TrustEmail: f.OIDCTrustEmail}
	if err := o.Check(); err != nil {
		return nil, fmt.Errorf("--oidc-issuer, --oidc-client-id: %w", err)
	}
	return o, nil
}
