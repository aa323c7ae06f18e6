package visitor_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/visitor"
)

const key = "5f2b7d1c9e3a8f604d7c1b2e9a5f8d3c6b0e4a7f1d9c2b8e5a3f7d6c1b0e9a4f"

var now = time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)

func b64(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }

// token returns a token with any header and payload, signed with HMAC-SHA256.
func token(header, payload, key string) string {
	text := b64(header) + "." + b64(payload)
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(text))
	return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

const hs256 = `{"alg":"HS256","typ":"JWT"}`

// payload returns claims. Times are seconds from now.
func payload(exp int64, more string) string {
	return fmt.Sprintf(`{"exp":%d%s}`, now.Unix()+exp, more)
}

func TestCheckReturnsClaims(t *testing.T) {
	at := func(d int64) int64 { return now.Unix() + d }
	good := token(hs256, payload(7200, fmt.Sprintf(`,"iat":%d,"nbf":%d,"sub":"u1","plan":"pro","org":{"id":5}`, at(-5), at(-5))), key)
	v, err := visitor.Check(key, good, now)
	if err != nil {
		t.Fatal(err)
	}
	want := visitor.Visitor{Claims: map[string]any{"sub": "u1", "plan": "pro", "org": map[string]any{"id": 5.0}}, Expires: at(7200)}
	if !reflect.DeepEqual(v, want) {
		t.Errorf("%+v", v)
	}
	for name, ok := range map[string]string{
		"clocks differ by seconds": token(hs256, payload(-20, fmt.Sprintf(`,"iat":%d,"nbf":%d`, at(20), at(20))), key),
		"without type":             token(`{"alg":"HS256"}`, payload(60, ""), key),
		"key id is ignored":        token(`{"alg":"HS256","kid":"../../dev/null","jku":"http://10.0.0.1/","x5u":"http://10.0.0.1/"}`, payload(60, ""), key),
		"30 days":                  token(hs256, payload(30*86400, ""), key),
	} {
		if _, err := visitor.Check(key, ok, now); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	at := func(name string, d int64) string { return fmt.Sprintf(`,"%s":%d`, name, now.Unix()+d) }
	other := visitor.NewPrivateKey()
	valid := payload(60, "")
	good := token(hs256, valid, key)
	parts := strings.Split(good, ".")
	for name, bad := range map[string]string{
		"nothing": "", "no token": "abc", "dots": "..", "API token": "octavo_abcdefghijklmnopqrstuvwxyz",
		"alg none":                    b64(`{"alg":"none"}`) + "." + b64(valid) + ".",
		"alg None":                    b64(`{"alg":"None"}`) + "." + b64(valid) + ".",
		"alg none with signature":     token(`{"alg":"none"}`, valid, key),
		"alg empty":                   token(`{"alg":""}`, valid, key),
		"alg missing":                 token(`{"typ":"JWT"}`, valid, key),
		"alg null":                    token(`{"alg":null}`, valid, key),
		"alg list":                    token(`{"alg":["HS256"]}`, valid, key),
		"alg in lower case":           token(`{"alg":"hs256"}`, valid, key),
		"HS384 with HMAC-SHA256":      token(`{"alg":"HS384"}`, valid, key),
		"RS256 with HMAC":             token(`{"alg":"RS256"}`, valid, key),
		"ES256 with HMAC":             token(`{"alg":"ES256"}`, valid, key),
		"PS256 with HMAC":             token(`{"alg":"PS256"}`, valid, key),
		"EdDSA with HMAC":             token(`{"alg":"EdDSA"}`, valid, key),
		"critical extension":          token(`{"alg":"HS256","crit":["b64"],"b64":false}`, valid, key),
		"header twice":                token(`{"alg":"none","alg":"HS256"}{}`, valid, key),
		"key of another site":         token(hs256, valid, other),
		"empty key":                   token(hs256, valid, ""),
		"kid names a key of nothing":  token(`{"alg":"HS256","kid":"/dev/null"}`, valid, ""),
		"kid injects SQL":             token(`{"alg":"HS256","kid":"x' UNION SELECT 'k'--"}`, valid, "k"),
		"key with a space":            token(hs256, valid, key+" "),
		"key as bytes":                token(hs256, valid, string(unhex(key))),
		"no signature":                parts[0] + "." + parts[1] + ".",
		"two parts":                   parts[0] + "." + parts[1],
		"four parts":                  good + ".x",
		"signature cut":               good[:len(good)-4],
		"signature padded":            good + "=",
		"another payload":             parts[0] + "." + b64(payload(61, "")) + "." + parts[2],
		"space around":                " " + good + " ",
		"newline behind":              good + "\n",
		"newline in the signature":    good[:len(good)-4] + "\r\n" + good[len(good)-4:],
		"newline in the payload":      token(hs256, valid, key)[:len(parts[0])+3] + "\n" + good[len(parts[0])+3:],
		"JSON serialization":          `{"protected":"` + parts[0] + `","payload":"` + parts[1] + `","signature":"` + parts[2] + `"}`,
		"exp missing":                 token(hs256, `{"plan":"pro"}`, key),
		"exp null":                    token(hs256, `{"exp":null}`, key),
		"exp zero":                    token(hs256, `{"exp":0}`, key),
		"exp text":                    token(hs256, fmt.Sprintf(`{"exp":"%d"}`, now.Unix()+60), key),
		"exp true":                    token(hs256, `{"exp":true}`, key),
		"exp is past":                 token(hs256, payload(-60, ""), key),
		"exp negative":                token(hs256, `{"exp":-1}`, key),
		"exp years ahead":             token(hs256, payload(10*365*86400, ""), key),
		"exp 31 days ahead":           token(hs256, payload(31*86400, ""), key),
		"exp beyond all time":         token(hs256, `{"exp":1e300}`, key),
		"exp in milliseconds":         token(hs256, fmt.Sprintf(`{"exp":%d}`, now.UnixMilli()+60_000), key),
		"nbf in the future":           token(hs256, payload(600, at("nbf", 300)), key),
		"nbf beyond all time":         token(hs256, payload(600, `,"nbf":1e300`), key),
		"nbf text":                    token(hs256, payload(600, `,"nbf":"soon"`), key),
		"iat in the future":           token(hs256, payload(600, at("iat", 300)), key),
		"iat text":                    token(hs256, payload(600, `,"iat":"now"`), key),
		"payload is a list":           token(hs256, `[]`, key),
		"payload is null":             token(hs256, `null`, key),
		"payload is cut":              token(hs256, valid[:10], key),
		"too long":                    token(hs256, payload(60, `,"x":"`+strings.Repeat("x", visitor.MaxToken)+`"`), key),
		"RS256 with a public key":     confusion(t),
		"RS256 with its own key":      asymmetric(t, jwt.SigningMethodRS256),
		"ES256 with its own key":      asymmetric(t, jwt.SigningMethodES256),
		"content token of the server": content(t),
	} {
		v, err := visitor.Check(key, bad, now)
		if !errs.Is(err, errs.Unauthenticated) || v.Claims != nil {
			t.Errorf("%s: %v, %v", name, v, err)
		}
		if err != nil && (strings.Contains(errs.Message(err), key) || len(errs.Message(err)) > 200) {
			t.Errorf("%s: the message is %q", name, errs.Message(err))
		}
	}
	for _, empty := range []string{"", "short", key[:31]} {
		if _, err := visitor.Check(empty, token(hs256, valid, empty), now); err == nil {
			t.Errorf("the key %q is accepted", empty)
		}
	}
}

// The message describes what is wrong with the token.
func TestReasons(t *testing.T) {
	valid := payload(60, "")
	for bad, want := range map[string]string{
		b64(`{"alg":"None"}`) + "." + b64(valid) + ".":                        "signed with HS256",
		b64(`{"alg":"none"}`) + "." + b64(valid) + ".":                        "signed with HS256",
		token(`{"alg":"hs256"}`, valid, key):                                  "signed with HS256",
		token(`{"alg":"HS256","crit":["b64"],"b64":false}`, valid, key):       "critical extensions",
		token(hs256, valid, key) + "\n":                                       "malformed",
		token(hs256, payload(-600, ""), key):                                  "expired",
		token(hs256, payload(600, `,"nbf":`+fmt.Sprint(now.Unix()+300)), key): "not valid yet",
	} {
		if _, err := visitor.Check(key, bad, now); !strings.Contains(errs.Message(err), want) {
			t.Errorf("%s: %v, want %s", bad, err, want)
		}
	}
}

// Tokens of a replaced key are refused.
func TestAReplacedKeyIsRefused(t *testing.T) {
	old, current := visitor.NewPrivateKey(), visitor.NewPrivateKey()
	if old == current || len(old) != 64 {
		t.Fatalf("keys %q and %q", old, current)
	}
	tok := token(hs256, payload(60, ""), old)
	if _, err := visitor.Check(old, tok, now); err != nil {
		t.Error(err)
	}
	if _, err := visitor.Check(current, tok, now); err == nil {
		t.Error("a token of the old key is accepted")
	}
}

func unhex(s string) []byte {
	var out []byte
	fmt.Sscanf(s, "%x", &out)
	return out
}

// confusion signs with HMAC and a public key as the secret, which everybody has.
func confusion(t *testing.T) string {
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(private.Public())
	if err != nil {
		t.Fatal(err)
	}
	public := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	return token(`{"alg":"RS256"}`, payload(60, ""), string(public))
}

func asymmetric(t *testing.T, method jwt.SigningMethod) string {
	var private crypto.PrivateKey
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if method == jwt.SigningMethodES256 {
		private, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := jwt.NewWithClaims(method, jwt.MapClaims{"exp": now.Unix() + 60}).SignedString(private)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func contentKey(t testing.TB, secret string) visitor.Key {
	t.Helper()
	k, err := visitor.NewKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func content(t testing.TB) string {
	t.Helper()
	s, err := contentKey(t, key).Sign(visitor.Content{Site: "site_1", Expires: now.Unix() + 60})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestContentTokens(t *testing.T) {
	k := contentKey(t, "secret of the instance")
	want := visitor.Content{
		Kind: "site", Organization: "org1", Site: "site_1", SiteSection: "sec", SiteSpace: "ss", Space: "sp", Spaces: []string{"sp"},
		Claims: map[string]any{"plan": "pro"}, ShareLink: "sl", VisitorKey: 3, Preview: true, Expires: visitor.Expiry(now),
	}
	tok, err := k.Sign(want)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := k.Sign(want); again != tok {
		t.Error("the same content has two tokens, which caches would keep apart")
	}
	if got, err := k.Verify(tok, now); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	if !visitor.IsToken(tok) || visitor.IsToken("octavo_a.b.c") || visitor.IsToken("") {
		t.Error("content tokens look like API tokens")
	}
	b, err := base64.RawURLEncoding.DecodeString(strings.Split(tok, ".")[1])
	var open map[string]any
	if err != nil || json.Unmarshal(b, &open) != nil || open["exp"] != float64(want.Expires) || open["claims"] == nil {
		t.Errorf("clients cannot read the payload %s", b)
	}
	for name, bad := range map[string]string{
		"another instance":           mustSign(t, contentKey(t, "another secret"), want),
		"the secret itself":          token(hs256, string(b), "secret of the instance"),
		"alg none":                   b64(`{"alg":"none"}`) + "." + strings.Split(tok, ".")[1] + ".",
		"expired":                    mustSign(t, k, visitor.Content{Site: "s", Expires: now.Unix() - 60}),
		"never expires":              mustSign(t, k, visitor.Content{Site: "s"}),
		"beyond all time":            mustSign(t, k, visitor.Content{Site: "s", Expires: 1 << 62}),
		"of no site":                 mustSign(t, k, visitor.Content{Expires: now.Unix() + 60}),
		"visitor token of an owner":  token(hs256, payload(60, `,"kind":"site","site":"site_1"`), key),
		"claims are of another type": tok[:20] + "A" + tok[21:],
		"too long":                   tok + strings.Repeat("A", 100_000),
	} {
		if got, err := k.Verify(bad, now); !errs.Is(err, errs.Unauthenticated) || got.Site != "" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func mustSign(t testing.TB, k visitor.Key, c visitor.Content) string {
	t.Helper()
	s, err := k.Sign(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Every token that Sign returns is accepted. Sign refuses claims that do not fit.
func TestContentTokensFit(t *testing.T) {
	k, err := visitor.NewKey("secret")
	if err != nil {
		t.Fatal(err)
	}
	made, refused := 0, 0
	for size := 1 << 10; size <= 32<<10; size += 1 << 10 {
		claims := map[string]any{"text": strings.Repeat("x", size)}
		s, err := k.Sign(visitor.Content{Site: "s", Claims: claims, Expires: now.Add(time.Hour).Unix()})
		switch {
		case errs.Is(err, errs.Invalid):
			refused++
		case err != nil:
			t.Fatal(err)
		default:
			made++
			if _, err := k.Verify(s, now); err != nil {
				t.Errorf("%d bytes of claims: %v", size, err)
			}
		}
	}
	if made < 10 || refused < 10 {
		t.Errorf("%d are made and %d refused", made, refused)
	}
}

func TestTokensOfADayEndTogether(t *testing.T) {
	midnight := time.Date(2026, 3, 15, 0, 0, 0, 0, time.UTC)
	for at, want := range map[time.Time]time.Time{
		midnight.Add(-24 * time.Hour):         midnight,
		midnight.Add(-61 * time.Minute):       midnight,
		midnight.Add(-59 * time.Minute):       midnight.Add(24 * time.Hour),
		midnight:                              midnight.Add(24 * time.Hour),
		midnight.In(time.FixedZone("", 3600)): midnight.Add(24 * time.Hour),
	} {
		if got := visitor.Expiry(at); got != want.Add(5*time.Minute).Unix() {
			t.Errorf("at %s: %s", at, time.Unix(got, 0).UTC())
		}
	}
}

// Only tokens that were signed with the key are accepted.
func FuzzCheck(f *testing.F) {
	good := token(hs256, payload(60, `,"plan":"pro"`), key)
	for _, seed := range []string{good, good + "=", strings.Replace(good, ".", "..", 1), b64(`{"alg":"none"}`) + "." + b64(`{}`) + ".", content(f)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := visitor.Check(key, s, now)
		if err != nil {
			if !errs.Is(err, errs.Unauthenticated) {
				t.Fatal(err)
			}
			return
		}
		cut := strings.LastIndexByte(s, '.')
		mac := hmac.New(sha256.New, []byte(key))
		mac.Write([]byte(s[:cut]))
		if sum := base64.RawURLEncoding.EncodeToString(mac.Sum(nil)); sum != s[cut+1:] {
			t.Errorf("%q is accepted with the claims %v", s, v.Claims)
		}
	})
}
