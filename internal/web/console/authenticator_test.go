package console_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"slices"
	"testing"
)

// authenticator simulates a device with one passkey (WebAuthn, "none" attestation).
type authenticator struct {
	t      *testing.T
	origin string
	host   string
	key    *ecdsa.PrivateKey
	id     []byte
	user   []byte
	count  uint32
}

func newAuthenticator(t *testing.T, host string) *authenticator {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return &authenticator{t: t, origin: "http://" + host, host: host, key: key, id: []byte("the one key of this device")}
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// cborText encodes a string of less than 24 bytes, and cborBytes less than 64 KiB.
func cborText(s string) []byte  { return append([]byte{0x60 | byte(len(s))}, s...) }
func cborBytes(b []byte) []byte { return append([]byte{0x59, byte(len(b) >> 8), byte(len(b))}, b...) }

// data returns the authenticator data: the hash of the relying party, the flags for user presence and
// verification, and the counter.
func (a *authenticator) data(flags byte, more ...byte) []byte {
	a.count++
	rp := sha256.Sum256([]byte(a.host))
	return slices.Concat(rp[:], []byte{flags}, binary.BigEndian.AppendUint32(nil, a.count), more)
}

func (a *authenticator) client(what, challenge string) []byte {
	b, err := json.Marshal(map[string]any{"type": "webauthn." + what, "challenge": challenge, "origin": a.origin})
	if err != nil {
		a.t.Fatal(err)
	}
	return b
}

func (a *authenticator) answer(response map[string]any) []byte {
	b, err := json.Marshal(map[string]any{"id": b64(a.id), "rawId": b64(a.id), "type": "public-key", "response": response})
	if err != nil {
		a.t.Fatal(err)
	}
	return b
}

// create creates the passkey.
func (a *authenticator) create(challenge string, user []byte) []byte {
	a.user = user
	point, err := a.key.PublicKey.Bytes() // 4, x, y
	if err != nil {
		a.t.Fatal(err)
	}
	cose := slices.Concat([]byte{0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21}, cborBytes(point[1:33]), []byte{0x22}, cborBytes(point[33:])) // ES256 on P-256
	attested := slices.Concat(make([]byte, 16), binary.BigEndian.AppendUint16(nil, uint16(len(a.id))), a.id, cose)
	object := slices.Concat([]byte{0xa3}, cborText("fmt"), cborText("none"), cborText("attStmt"), []byte{0xa0}, cborText("authData"), cborBytes(a.data(0x45, attested...)))
	return a.answer(map[string]any{"clientDataJSON": b64(a.client("create", challenge)), "attestationObject": b64(object)})
}

// get signs in with the passkey. If wrong is set, the signature is over other data.
func (a *authenticator) get(challenge string, wrong bool) []byte {
	data, client := a.data(0x05), a.client("get", challenge)
	hash := sha256.Sum256(client)
	signed := sha256.Sum256(append(slices.Clone(data), hash[:]...))
	if wrong {
		signed[0] ^= 1
	}
	signature, err := ecdsa.SignASN1(rand.Reader, a.key, signed[:])
	if err != nil {
		a.t.Fatal(err)
	}
	return a.answer(map[string]any{
		"clientDataJSON": b64(client), "authenticatorData": b64(data), "signature": b64(signature), "userHandle": b64(a.user),
	})
}
