// Command idp is a SAML identity provider for tests: crewjam's samlidp in a separate process.
// It prints its address. Services and users are made with PUT /services/ID (metadata) and
// PUT /users/NAME (JSON); POST /rotate replaces the key, GET /certificate returns its certificate.
package main

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"

	"github.com/crewjam/saml/samlidp"
	dsig "github.com/russellhaering/goxmldsig"
)

func main() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	base := url.URL{Scheme: "http", Host: l.Addr().String()}
	key, cert, err := newKey()
	if err != nil {
		log.Fatal(err)
	}
	idp, err := samlidp.New(samlidp.Options{
		URL: base, Key: key, Certificate: cert, Store: &samlidp.MemoryStore{}, Logger: log.New(os.Stderr, "idp: ", 0),
	})
	if err != nil {
		log.Fatal(err)
	}
	idp.IDP.SignatureMethod = dsig.RSASHA256SignatureMethod
	idp.IDP.LoginURL.Path = "/sso" // its form goes on with the request
	var mu sync.Mutex
	mux := http.NewServeMux()
	mux.HandleFunc("POST /rotate", func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		key, cert, err := newKey()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		idp.IDP.Key, idp.IDP.Certificate = key, cert
	})
	mux.HandleFunc("GET /certificate", func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		_ = pem.Encode(w, &pem.Block{Type: "CERTIFICATE", Bytes: idp.IDP.Certificate.Raw}) // to a test that has ended
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		idp.ServeHTTP(w, r)
	})
	fmt.Println(base.String())
	srv := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	log.Fatal(srv.Serve(l))
}

func newKey() (*rsa.PrivateKey, *x509.Certificate, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, nil, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "idp"}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, nil, err
	}
	cert, err := x509.ParseCertificate(der)
	return key, cert, err
}
