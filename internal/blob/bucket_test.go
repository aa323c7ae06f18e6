package blob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/octavo-docs/octavo/internal/errs"
)

// fake is an in-process S3 service that counts requests and fails on demand.
type fake struct {
	server *httptest.Server
	mu     sync.Mutex
	now    time.Time // clock of the service; the real time if zero
	seen   []string  // methods of the requests
	sent   int64     // bytes of response bodies
	// fail may respond instead of the service.
	fail func(w http.ResponseWriter, r *http.Request) bool
}

func newFake(t testing.TB) *fake {
	t.Helper()
	f := &fake{}
	backend := s3mem.New(s3mem.WithTimeSource(f))
	if err := backend.CreateBucket("octavo"); err != nil {
		t.Fatal(err)
	}
	s3 := gofakes3.New(backend, gofakes3.WithTimeSource(f), gofakes3.WithTimeSkewLimit(0)).Server()
	f.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		f.seen = append(f.seen, r.Method)
		fail := f.fail
		f.mu.Unlock()
		if fail == nil || !fail(w, r) {
			s3.ServeHTTP(counting{w, f}, r)
		}
	}))
	f.server.Config.ErrorLog = log.New(io.Discard, "", 0) // the service writes some headers twice
	f.server.Start()
	t.Cleanup(f.server.Close)
	return f
}

// Now and Since implement the time source of the service.
func (f *fake) Now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.now.IsZero() {
		return time.Now()
	}
	return f.now
}

func (f *fake) Since(t time.Time) time.Duration { return f.Now().Sub(t) }

func (f *fake) set(fn func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fn()
}

// during calls fn and returns the methods of the requests and the number of bytes that
// were sent.
func (f *fake) during(fn func()) (methods string, sent int64) {
	f.set(func() { f.seen, f.sent = nil, 0 })
	fn()
	f.set(func() { methods, sent = strings.Join(f.seen, " "), f.sent })
	return methods, sent
}

type counting struct {
	http.ResponseWriter
	f *fake
}

func (c counting) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.f.set(func() { c.f.sent += int64(n) })
	return n, err
}

func (f *fake) settings(s S3) S3 {
	s.Endpoint = strings.TrimPrefix(f.server.URL, "http://")
	if s.Bucket == "" {
		s.Bucket = "octavo"
	}
	s.AccessKey, s.SecretKey, s.Region, s.PathStyle = "key", "secret", "us-east-1", true
	return s
}

func (f *fake) open(t testing.TB, s S3) *Bucket {
	t.Helper()
	b, err := OpenBucket(t.Context(), f.settings(s), testLimit)
	if err != nil {
		t.Fatal(err)
	}
	b.temp = t.TempDir()
	return b
}

// newRealBucket returns a bucket of a real server, configured as
// endpoint,key,secret,bucket.
func newRealBucket(t testing.TB) *Bucket {
	t.Helper()
	v := strings.Split(os.Getenv("OCTAVO_TEST_S3"), ",")
	if len(v) != 4 {
		t.Skip("no S3 server: OCTAVO_TEST_S3 (endpoint,key,secret,bucket) is not set")
	}
	prefix := "test-" + time.Now().Format("20060102-150405.000000")
	b, err := OpenBucket(t.Context(), S3{
		Endpoint: strings.TrimPrefix(strings.TrimPrefix(v[0], "http://"), "https://"), AccessKey: v[1], SecretKey: v[2], Bucket: v[3],
		Region: "us-east-1", Prefix: prefix, PathStyle: true, Secure: strings.HasPrefix(v[0], "https://"),
	}, testLimit)
	if err != nil {
		t.Fatal(err)
	}
	b.temp = t.TempDir()
	t.Cleanup(func() {
		b.Walk(context.Background(), func(i Info) error {
			_, err := b.Delete(context.Background(), i.Hash, time.Now().Add(time.Hour))
			return err
		})
	})
	return b
}

func TestARangeIsNotTheWholeObject(t *testing.T) {
	f := newFake(t)
	b := f.open(t, S3{})
	data := randomBytes(7, testLimit)
	h := put(t, b, data)
	methods, sent := f.during(func() { get(t, b, h) })
	if sent != testLimit || methods != "HEAD GET GET GET GET" {
		t.Errorf("the whole object: %d bytes, %s", sent, methods)
	}
	_, sent = f.during(func() {
		o, err := b.Open(t.Context(), h)
		if err != nil {
			t.Fatal(err)
		}
		defer o.Close()
		buf := make([]byte, 100)
		if _, err := o.ReadAt(buf, 2_000_000); err != nil || !bytes.Equal(buf, data[2_000_000:2_000_100]) {
			t.Errorf("ReadAt: %v", err)
		}
	})
	if sent != 100 {
		t.Errorf("ReadAt of 100 bytes sent %d", sent)
	}
	_, sent = f.during(func() {
		o, err := b.Open(t.Context(), h)
		if err != nil {
			t.Fatal(err)
		}
		defer o.Close()
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Range", "bytes=1000000-1000999")
		Serve(w, r, Served{Name: "x", Hash: h}, o)
		if w.Code != http.StatusPartialContent || !bytes.Equal(w.Body.Bytes(), data[1_000_000:1_001_000]) {
			t.Errorf("status %d, %d bytes", w.Code, w.Body.Len())
		}
	})
	if sent > firstPiece {
		t.Errorf("a range of 1000 bytes sent %d", sent)
	}
}

func TestTheSameBytesAreSentOnce(t *testing.T) {
	f := newFake(t)
	b := f.open(t, S3{})
	data := randomBytes(3, 1000)
	// The service truncates times to seconds.
	start := time.Now().Truncate(time.Second)
	f.set(func() { f.now = start })
	if m, _ := f.during(func() { put(t, b, data) }); m != "HEAD PUT" {
		t.Errorf("the first time: %s", m)
	}
	if m, _ := f.during(func() { put(t, b, data) }); m != "HEAD" {
		t.Errorf("the second time: %s", m)
	}
	// Old objects are renewed, so that they are not collected as garbage.
	f.set(func() { f.now = start.Add(-48 * time.Hour) })
	h := put(t, b, []byte("old"))
	if ok, err := b.Delete(t.Context(), h, start.Add(-72*time.Hour)); ok || err != nil {
		t.Fatal(ok, err)
	}
	f.set(func() { f.now = start })
	put(t, b, []byte("old"))
	if i := all(t, b)[h]; i.LastPut.Before(start.Add(-time.Hour)) {
		t.Errorf("not renewed: %v", i.LastPut)
	}
	if err := intact(t.Context(), b, h); err != nil {
		t.Error(err)
	}
}

// Services differ in their support for conditional requests and copies.
func TestServicesThatKnowLess(t *testing.T) {
	refuse := func(status int, code string, header string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if r.Header.Get(header) == "" {
				return false
			}
			w.WriteHeader(status)
			io.WriteString(w, "<Error><Code>"+code+"</Code></Error>")
			return true
		}
	}
	for _, c := range []struct {
		name   string
		status int
		code   string
		header string
	}{
		{"no conditions", http.StatusNotImplemented, "NotImplemented", "If-None-Match"},
		{"a writer at the same time", http.StatusConflict, "ConditionalRequestConflict", "If-None-Match"},
		{"the object came meanwhile", http.StatusPreconditionFailed, "PreconditionFailed", "If-None-Match"},
		{"no copies", http.StatusNotImplemented, "NotImplemented", "X-Amz-Copy-Source"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake(t)
			b := f.open(t, S3{})
			f.set(func() { f.now = time.Now().Add(-48 * time.Hour) })
			h := put(t, b, []byte("old"))
			f.set(func() { f.now, f.fail = time.Time{}, refuse(c.status, c.code, c.header) })
			put(t, b, []byte("old"))
			if i := all(t, b)[h]; time.Since(i.LastPut) > time.Hour {
				t.Errorf("not renewed: %v", i.LastPut)
			}
			h = put(t, b, []byte("new"))
			if err := intact(t.Context(), b, h); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestABucketThatStumbles(t *testing.T) {
	f := newFake(t)
	b := f.open(t, S3{})
	data := randomBytes(5, 1<<20)
	// Every second request fails.
	n := 0
	f.set(func() {
		f.fail = func(w http.ResponseWriter, _ *http.Request) bool {
			f.mu.Lock()
			n++
			odd := n%2 == 1
			f.mu.Unlock()
			if odd {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
			return odd
		}
	})
	h := put(t, b, data)
	// Every second body is truncated.
	f.set(func() {
		n = 0
		f.fail = func(w http.ResponseWriter, r *http.Request) bool {
			f.mu.Lock()
			n++
			odd := n%2 == 1
			f.mu.Unlock()
			if r.Method != http.MethodGet || odd {
				return false
			}
			w.Header().Set("Content-Length", "262144")
			w.Header().Set("Content-Range", "bytes 0-262143/1048576")
			w.Header().Set("Last-Modified", time.Now().UTC().Format(http.TimeFormat))
			w.WriteHeader(http.StatusPartialContent)
			panic(http.ErrAbortHandler)
		}
	})
	if !bytes.Equal(get(t, b, h), data) {
		t.Error("the bytes are not those that were put")
	}
	// An object is deleted while it is read.
	f.set(func() { f.fail = nil })
	o, err := b.Open(t.Context(), h)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if _, err := b.Delete(t.Context(), h, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(o); err == nil {
		t.Error("read what is gone")
	}
	// Put fails if the bucket is permanently unavailable.
	f.set(func() {
		f.fail = func(w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(http.StatusInternalServerError)
			return true
		}
	})
	if _, err := b.Put(t.Context(), strings.NewReader("x")); err == nil || errs.KindOf(err) != errs.Internal {
		t.Errorf("Put: %v", err)
	}
	left, err := filepath.Glob(filepath.Join(b.temp, "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestBucketsThatCannotBeUsed(t *testing.T) {
	f := newFake(t)
	good := f.settings(S3{})
	denied := newFake(t)
	denied.fail = func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusForbidden)
		return true
	}
	closed := newFake(t)
	closed.server.Close()
	with := func(change func(*S3)) S3 {
		s := good
		change(&s)
		return s
	}
	for name, c := range map[string]struct {
		s    S3
		want string
	}{
		"no endpoint":      {with(func(s *S3) { s.Endpoint = "" }), "endpoint"},
		"a URL":            {with(func(s *S3) { s.Endpoint = "https://s3.example.com" }), "without https://"},
		"no name":          {with(func(s *S3) { s.Bucket = "" }), "name of the bucket"},
		"a bad name":       {with(func(s *S3) { s.Bucket = "Not A Bucket" }), "Not A Bucket"},
		"no key":           {with(func(s *S3) { s.SecretKey = "" }), "secret key"},
		"no bucket":        {with(func(s *S3) { s.Bucket = "other" }), `"other"`},
		"access denied":    {denied.settings(S3{}), "denied"},
		"nobody is there":  {closed.settings(S3{}), "cannot be reached"},
		"https where none": {with(func(s *S3) { s.Secure = true }), "https"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := OpenBucket(t.Context(), c.s, 0)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
			if err != nil && strings.Contains(err.Error(), "secret") && c.want != "secret key" {
				t.Errorf("the error contains the secret: %v", err)
			}
		})
	}
	if _, err := OpenBucket(t.Context(), good, maxBucketObject+1); err == nil {
		t.Error("a limit above that of S3 was accepted")
	}
}

// Two installations can share a bucket.
func TestPrefixesAreApart(t *testing.T) {
	f := newFake(t)
	a, b := f.open(t, S3{Prefix: "/a/"}), f.open(t, S3{Prefix: "a/b"})
	h := put(t, a, []byte("x"))
	if len(all(t, b)) != 0 || len(all(t, a)) != 1 {
		t.Error("the prefixes mix")
	}
	put(t, b, []byte("y"))
	if len(all(t, b)) != 1 || len(all(t, a)) != 1 {
		t.Error("the prefixes mix")
	}
	if h != sha256.Sum256([]byte("x")) {
		t.Error(h)
	}
}

// Only a real service verifies the content against the hash, and renews an object that is
// copied to itself.
func TestARealService(t *testing.T) {
	b := newRealBucket(t)
	h := put(t, b, []byte("right"))
	if there, err := b.touch(t.Context(), Info{Hash: h, Size: 5, LastPut: time.Now().Add(2 * touchAfter)}); !there || err != nil {
		t.Errorf("renew: %v, %v", there, err)
	}
	if err := intact(t.Context(), b, h); err != nil {
		t.Error(err)
	}
	f, info, err := spool(t.Context(), b.temp, strings.NewReader("wrong"), testLimit)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info.Hash = sha256.Sum256([]byte("something else"))
	if err := b.upload(t.Context(), f, info, true); err == nil {
		t.Error("the service took bytes that do not fit their hash")
	}
	if ok, err := b.Has(t.Context(), info.Hash); ok || err != nil {
		t.Errorf("Has: %v, %v", ok, err)
	}
	wrong := b.s3
	wrong.SecretKey += "x"
	if _, err := OpenBucket(t.Context(), wrong, 0); err == nil || !strings.Contains(err.Error(), "key") {
		t.Errorf("a wrong key: %v", err)
	}
}
