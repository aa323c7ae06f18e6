package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/octavo-docs/octavo/internal/errs"
)

// S3 is the configuration of a bucket. The bucket must exist.
type S3 struct {
	Endpoint  string // host or host:port, such as s3.eu-central-1.amazonaws.com
	Bucket    string
	Region    string // if empty, the client requests it from the service
	AccessKey string
	SecretKey string
	Prefix    string // folder in the bucket; empty means the top
	PathStyle bool   // the bucket is in the path instead of the host name
	Secure    bool   // https
}

const (
	maxBucketObject = 5 << 30 // the limit of S3 for a single request
	s3Attempts      = 5       // maximum number of attempts of a request
	s3StartTimeout  = 30 * time.Second
	retryPause      = 200 * time.Millisecond // multiplied by the number of attempts so far
	// touchAfter is the age after which a Put of the same content renews an object.
	touchAfter = time.Hour
)

// Bucket is a Store in an S3-compatible service.
type Bucket struct {
	s3     S3
	core   minio.Core
	limit  int64
	prefix string
	temp   string
}

// OpenBucket connects to a bucket for files of at most limit bytes; zero means
// DefaultMaxBytes. It returns an error with the cause if the bucket cannot be used.
func OpenBucket(ctx context.Context, s S3, limit int64) (*Bucket, error) {
	if limit <= 0 {
		limit = DefaultMaxBytes
	}
	switch {
	case s.Endpoint == "" || strings.Contains(s.Endpoint, "/"):
		return nil, errors.New("S3: the endpoint must be a host or host:port, without https:// and without a path")
	case s.Bucket == "":
		return nil, errors.New("S3: the name of the bucket is missing")
	case s.AccessKey == "" || s.SecretKey == "":
		return nil, errors.New("S3: the access key and the secret key are required")
	case limit > maxBucketObject:
		return nil, fmt.Errorf("S3: a file can have at most %d bytes", int64(maxBucketObject))
	}
	lookup := minio.BucketLookupAuto
	if s.PathStyle {
		lookup = minio.BucketLookupPath
	}
	core, err := minio.NewCore(s.Endpoint, &minio.Options{
		Creds:        credentials.NewStaticV4(s.AccessKey, s.SecretKey, ""),
		Secure:       s.Secure,
		Region:       s.Region,
		BucketLookup: lookup,
		MaxRetries:   s3Attempts,
	})
	if err != nil {
		return nil, fmt.Errorf("S3: %w", err)
	}
	b := &Bucket{s3: s, core: *core, limit: limit, temp: os.TempDir()}
	if p := strings.Trim(s.Prefix, "/"); p != "" {
		b.prefix = p + "/"
	}
	if err := b.check(ctx); err != nil {
		return nil, err
	}
	return b, removeStale(b.temp, time.Now())
}

func (b *Bucket) check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s3StartTimeout)
	defer cancel()
	there, err := b.core.BucketExists(ctx, b.s3.Bucket)
	where := fmt.Sprintf("S3: bucket %q at %s", b.s3.Bucket, b.s3.Endpoint)
	switch code := minio.ToErrorResponse(err).Code; {
	case err == nil && there:
		return nil
	case err == nil || code == minio.NoSuchBucket:
		return fmt.Errorf("%s: there is no such bucket; create it, or correct its name", where)
	case code == minio.AccessDenied || code == "Forbidden" || code == "403 Forbidden":
		return fmt.Errorf("%s: access is denied; the key must be allowed to list the bucket and to get, put and delete its objects: %w", where, err)
	case code == "SignatureDoesNotMatch" || code == "InvalidAccessKeyId":
		return fmt.Errorf("%s: the access key or the secret key is wrong: %w", where, err)
	}
	return fmt.Errorf("%s cannot be reached; check the endpoint, the region, and whether it speaks https: %w", where, err)
}

func (b *Bucket) key(h Hash) string { return b.prefix + h.key() }

// Put first writes to a temporary file, because the key of an object is the hash of its
// content. The service also receives the hash and verifies the content.
func (b *Bucket) Put(ctx context.Context, r io.Reader) (Info, error) {
	f, info, err := spool(ctx, b.temp, r, b.limit)
	if err != nil {
		return Info{}, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	there, err := b.touch(ctx, info)
	if err == nil && !there {
		err = b.upload(ctx, f, info, true)
	}
	if err != nil {
		return Info{}, fmt.Errorf("keep a file in the bucket: %w", err)
	}
	return info, nil
}

// touch reports whether the content already exists, and renews its time. An object with
// another size is damaged and has to be replaced.
func (b *Bucket) touch(ctx context.Context, info Info) (bool, error) {
	st, err := b.core.StatObject(ctx, b.s3.Bucket, b.key(info.Hash), minio.StatObjectOptions{})
	if absent(err) || err == nil && st.Size != info.Size {
		return false, nil
	}
	if err != nil || info.LastPut.Sub(st.LastModified) < touchAfter {
		return err == nil, err
	}
	// Copying an object to itself renews its time without a transfer. Some services do
	// not support it; the object is then uploaded again.
	at := minio.CopyDestOptions{
		Bucket: b.s3.Bucket, Object: b.key(info.Hash),
		ReplaceMetadata: true, UserMetadata: map[string]string{"Put": info.LastPut.UTC().Format(time.RFC3339)},
	}
	_, err = b.core.Client.CopyObject(ctx, at, minio.CopySrcOptions{Bucket: b.s3.Bucket, Object: b.key(info.Hash)})
	return err == nil, ctx.Err()
}

// upload sends a file in a single request, so that the object is either complete or
// absent. If only is set, an existing object is kept.
func (b *Bucket) upload(ctx context.Context, f *os.File, info Info, only bool) error {
	o := minio.PutObjectOptions{
		ContentType: "application/octet-stream",
		// Do not sign each chunk: the hash in the signed header covers the whole content,
		// and every service supports it.
		DisableContentSha256: true,
	}
	if only {
		o.SetMatchETagExcept("*")
	}
	err := b.send(ctx, f, info, o)
	if err == nil || !only {
		return err
	}
	switch minio.ToErrorResponse(err).StatusCode {
	case http.StatusPreconditionFailed:
		return b.finish(ctx, f, info)
	case http.StatusConflict, http.StatusNotImplemented, http.StatusBadRequest:
		// There is another writer, or the service does not support conditions. Writing
		// the same content to the same key is harmless.
		return b.upload(ctx, f, info, false)
	}
	return err
}

// send retries with a new reader for each attempt. The client of the library must not be
// able to rewind the reader: if a service responds early, it would rewind while the
// previous attempt is still reading.
func (b *Bucket) send(ctx context.Context, f *os.File, info Info, o minio.PutObjectOptions) error {
	for attempt := 1; ; attempt++ {
		body := struct{ io.Reader }{io.NewSectionReader(f, 0, info.Size)}
		_, err := b.core.PutObject(ctx, b.s3.Bucket, b.key(info.Hash), body, info.Size, "", info.Hash.String(), o)
		if err == nil || attempt == s3Attempts || !temporary(err) {
			return err
		}
		select {
		case <-time.After(time.Duration(attempt) * retryPause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// temporary reports whether an error may be temporary.
func temporary(err error) bool {
	switch status := minio.ToErrorResponse(err).StatusCode; status {
	case 0, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return true // 0 means that there was no response
	default:
		return status >= 500 && status != http.StatusNotImplemented
	}
}

// finish handles an object that appeared between touch and upload, or that touch found
// damaged or could not renew.
func (b *Bucket) finish(ctx context.Context, f *os.File, info Info) error {
	st, err := b.core.StatObject(ctx, b.s3.Bucket, b.key(info.Hash), minio.StatObjectOptions{})
	if err == nil && st.Size == info.Size && info.LastPut.Sub(st.LastModified) < touchAfter {
		return nil
	}
	return b.upload(ctx, f, info, false)
}

// Open checks that the object exists. Its content is transferred in pieces while it is
// read.
func (b *Bucket) Open(ctx context.Context, h Hash) (Object, error) {
	st, err := b.core.StatObject(ctx, b.s3.Bucket, b.key(h), minio.StatObjectOptions{})
	if absent(err) {
		return nil, errs.Missing("file")
	}
	if err != nil {
		return nil, fmt.Errorf("open a file in the bucket: %w", err)
	}
	return &object{ctx: ctx, b: b, info: Info{Hash: h, Size: st.Size, LastPut: st.LastModified}}, nil
}

// Has reports whether the object exists.
func (b *Bucket) Has(ctx context.Context, h Hash) (bool, error) {
	_, err := b.core.StatObject(ctx, b.s3.Bucket, b.key(h), minio.StatObjectOptions{})
	if absent(err) {
		return false, nil
	}
	return err == nil, err
}

// Delete checks and removes the object in two requests, because S3 has no condition for
// this that all services support. A Put of the same content between the two is lost. This
// is another reason why notPutSince must be long ago.
func (b *Bucket) Delete(ctx context.Context, h Hash, notPutSince time.Time) (bool, error) {
	st, err := b.core.StatObject(ctx, b.s3.Bucket, b.key(h), minio.StatObjectOptions{})
	if absent(err) || err == nil && !st.LastModified.Before(notPutSince) {
		return false, nil
	}
	if err == nil {
		err = b.core.RemoveObject(ctx, b.s3.Bucket, b.key(h), minio.RemoveObjectOptions{})
	}
	return err == nil, err
}

// Walk lists the objects of the bucket.
func (b *Bucket) Walk(ctx context.Context, fn func(Info) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the listing if fn returns an error
	for o := range b.core.Client.ListObjects(ctx, b.s3.Bucket, minio.ListObjectsOptions{Prefix: b.prefix, Recursive: true}) {
		if o.Err != nil {
			return fmt.Errorf("list the bucket: %w", o.Err)
		}
		_, name, _ := strings.Cut(strings.TrimPrefix(o.Key, b.prefix), "/")
		h, err := ParseHash(name)
		if err != nil || b.key(h) != o.Key {
			continue
		}
		if err := fn(Info{Hash: h, Size: o.Size, LastPut: o.LastModified}); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func absent(err error) bool {
	code := minio.ToErrorResponse(err).Code
	return code == minio.NoSuchKey || code == "NotFound"
}
