package seal_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/seal"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

func TestSealOpensForItsThingAndPurposeOnly(t *testing.T) {
	ctx := context.Background()
	r := testdb.Open(t, testdb.SQLite(t)).Reader
	other := testdb.Open(t, testdb.SQLite(t)).Reader
	const secret = "correct horse battery staple"
	sealed, err := seal.Seal(ctx, r, seal.GitOperation, "op1", secret)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(sealed), "horse") {
		t.Error("the secret is readable")
	}
	if again, _ := seal.Seal(ctx, r, seal.GitOperation, "op1", secret); again == sealed {
		t.Error("the same secret is sealed to the same text twice")
	}
	if got, err := seal.Open(ctx, r, seal.GitOperation, "op1", sealed); err != nil || got != secret {
		t.Errorf("opened %q, %v", got, err)
	}
	for name, open := range map[string]func() (string, error){
		"another thing":    func() (string, error) { return seal.Open(ctx, r, seal.GitOperation, "op2", sealed) },
		"another purpose":  func() (string, error) { return seal.Open(ctx, r, seal.GitConnection, "op1", sealed) },
		"another instance": func() (string, error) { return seal.Open(ctx, other, seal.GitOperation, "op1", sealed) },
		"damage": func() (string, error) {
			return seal.Open(ctx, r, seal.GitOperation, "op1", sealed[:len(sealed)-4]+"AAAA")
		},
		"nothing":   func() (string, error) { return seal.Open(ctx, r, seal.GitOperation, "op1", "") },
		"no base64": func() (string, error) { return seal.Open(ctx, r, seal.GitOperation, "op1", "§§§§") },
	} {
		if got, err := open(); !errors.Is(err, seal.ErrSealed) || got != "" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
