package docs

import "log/slog"

// Sealed is a secret as it is stored: encrypted, see package seal. Secret and SecretHeaders are
// in clear text. Values of these types show themselves neither in logs nor in audit events, so
// that no list of names has to be kept complete.
type (
	Sealed        string
	Secret        string
	SecretHeaders map[string]string // HTTP headers, whose values often have credentials
)

// LogValue implements [slog.LogValuer].
func (Sealed) LogValue() slog.Value { return hidden }

// LogValue implements [slog.LogValuer].
func (Secret) LogValue() slog.Value { return hidden }

// LogValue implements [slog.LogValuer].
func (SecretHeaders) LogValue() slog.Value { return hidden }

var hidden = slog.StringValue("[secret]")

// IsSecret reports whether v has one of the types of secrets.
func IsSecret(v any) bool {
	switch v.(type) {
	case Sealed, Secret, SecretHeaders:
		return true
	}
	return false
}
