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

// S3 says where a bucket is. It must exist.
type S3 struct {
	Endpoint  string // host or host:port, such as s3.eu-central-1.amazonaws.com
	Bucket    string
	Region    string // empty: asked for
	AccessKey string
	SecretKey string
	Prefix    string // folder in the bucket; empty is its top
	PathStyle bool   // the bucket is in the path and not in the host name
	Secure    bool   // https
}

const (
	maxBucketObject = 5 << 30 // what S3 accepts in one request
	s3Attempts      = 5       // of one request, before it fails
	s3StartTimeout  = 30 * time.Second
	retryPause      = 200 * time.Millisecond // longer after each attempt
	// touchAfter is how old an object may be before a Put of the same bytes
	// renews it.
	touchAfter = time.Hour
)

// Bucket keeps bytes in an S3-compatible service.
type Bucket struct {
	s3     S3
	core   minio.Core
	limit  int64
	prefix string
	temp   string
}

// OpenBucket connects to a bucket for files of at most limit bytes; zero is
// DefaultMaxBytes. It fails if the bucket cannot be used, and says why.
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

// Put first writes to a temporary file, as the key of an object is the hash
// of all its bytes. The service gets the hash as well and compares it with
// what arrives.
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

// touch reports whether the bytes are there already, and notes that they were
// put again. An object of another size is damaged and is replaced.
func (b *Bucket) touch(ctx context.Context, info Info) (bool, error) {
	st, err := b.core.StatObject(ctx, b.s3.Bucket, b.key(info.Hash), minio.StatObjectOptions{})
	if absent(err) || err == nil && st.Size != info.Size {
		return false, nil
	}
	if err != nil || info.LastPut.Sub(st.LastModified) < touchAfter {
		return err == nil, err
	}
	// Copying an object onto itself renews its time without a transfer. Not
	// every service can do it; then the upload does.
	at := minio.CopyDestOptions{
		Bucket: b.s3.Bucket, Object: b.key(info.Hash),
		ReplaceMetadata: true, UserMetadata: map[string]string{"Put": info.LastPut.UTC().Format(time.RFC3339)},
	}
	_, err = b.core.Client.CopyObject(ctx, at, minio.CopySrcOptions{Bucket: b.s3.Bucket, Object: b.key(info.Hash)})
	return err == nil, ctx.Err()
}

// upload sends a file in one request, so that it is there whole or not at
// all. If only is set, an object that is there already stays.
func (b *Bucket) upload(ctx context.Context, f *os.File, info Info, only bool) error {
	o := minio.PutObjectOptions{
		ContentType: "application/octet-stream",
		// Without the framing that would sign each piece: the hash in the
		// signed header covers all of them, and every service knows it.
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
		// Another writer or a service without conditions. The same bytes
		// under the same key do no harm.
		return b.upload(ctx, f, info, false)
	}
	return err
}

// send makes its own attempts, each with its own reader, which the client
// cannot rewind: when a service answers early, the client would rewind while
// the attempt before is still reading.
func (b *Bucket) send(ctx context.Context, f *os.File, info Info, o minio.PutObjectOptions) error {
	for attempt := 1; ; attempt++ {
		body := struct{ io.Reader }{io.NewSectionReader(f, 0, info.Size)}
		_, err := b.core.PutObject(ctx, b.s3.Bucket, b.key(info.Hash), body, info.Size, "", info.Hash.String(), o)
		if err == nil || attempt == s3Attempts || !passing(err) {
			return err
		}
		select {
		case <-time.After(time.Duration(attempt) * retryPause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// passing reports whether it may go better next time.
func passing(err error) bool {
	switch status := minio.ToErrorResponse(err).StatusCode; status {
	case 0, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return true // 0: there was no answer at all
	default:
		return status >= 500 && status != http.StatusNotImplemented
	}
}

// finish is for an object that came between our look and our upload, or that
// touch found damaged or too old to copy.
func (b *Bucket) finish(ctx context.Context, f *os.File, info Info) error {
	st, err := b.core.StatObject(ctx, b.s3.Bucket, b.key(info.Hash), minio.StatObjectOptions{})
	if err == nil && st.Size == info.Size && info.LastPut.Sub(st.LastModified) < touchAfter {
		return nil
	}
	return b.upload(ctx, f, info, false)
}

// Open looks at the object; reading transfers it in pieces.
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

// Has reports whether there is such an object.
func (b *Bucket) Has(ctx context.Context, h Hash) (bool, error) {
	_, err := b.core.StatObject(ctx, b.s3.Bucket, b.key(h), minio.StatObjectOptions{})
	if absent(err) {
		return false, nil
	}
	return err == nil, err
}

// Delete looks and removes in two requests: S3 has no condition for it that
// all services know. A Put of the same bytes exactly in between is lost,
// which is one more reason for a moment that is long ago.
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

// Walk lists the bucket.
func (b *Bucket) Walk(ctx context.Context, fn func(Info) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the listing that we leave
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
