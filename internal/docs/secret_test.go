package docs

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

func TestSecretsAreNotInLogs(t *testing.T) {
	var b bytes.Buffer
	slog.New(slog.NewTextHandler(&b, nil)).Info("x", "a", Sealed("hush"), "b", Secret("hush"), "c", SecretHeaders{"Authorization": "hush"})
	if strings.Contains(b.String(), "hush") || strings.Count(b.String(), "[secret]") != 3 {
		t.Error(b.String())
	}
}
