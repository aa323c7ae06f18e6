package exchange

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"path"
	"sync"

	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
)

// fileStore stores files while others are read: storing waits for a disk or a server.
type fileStore struct {
	all  sync.WaitGroup
	free chan struct{}
	mu   sync.Mutex // guards have and err
	have map[string]docs.File
	err  error
}

const (
	// keepAtOnce is the maximum number of files that are stored at once.
	keepAtOnce = 8
	// maxHeld is the size up to which a file waits in memory to be stored.
	maxHeld = 1 << 20
)

// take stores an object as the file of several paths.
func (k *fileStore) take(ctx context.Context, o *readObject, names []string) error {
	if len(names) == 0 {
		return nil
	}
	if fits, err := o.count(); !fits || err != nil {
		return err
	}
	if o.size > maxHeld {
		k.keep(ctx, o, names)
		return k.failed()
	}
	if err := o.hold(); err != nil {
		return err
	}
	k.free <- struct{}{}
	k.all.Go(func() {
		defer func() { <-k.free }()
		k.keep(ctx, o, names)
	})
	return k.failed()
}

func (k *fileStore) keep(ctx context.Context, o *readObject, names []string) {
	f, err := o.in.from.s.keepAs(ctx, names[0], o.oid, o.data)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err = cmp.Or(k.err, err); err != nil {
		return
	}
	for _, name := range names {
		f.Path, f.Name = name, path.Base(name)
		k.have[name] = f
	}
}

func (k *fileStore) failed() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.err
}

func (k *fileStore) wait() error {
	k.all.Wait()
	return k.err
}

// blobFetch counts the bytes that one import reads and enforces the limits.
type blobFetch struct {
	from            *source
	limits          folder.Limits
	total, unpacked int64 // bytes of texts, and of files
}

// object starts reading an object that is the text of so many paths. It counts once for each path,
// because each page is parsed. Text that is too large for a page is not loaded.
func (in *blobFetch) object(oid string, size int64, data io.Reader, texts int64) (*readObject, error) {
	o := &readObject{in: in, oid: oid, size: size, data: data}
	if texts == 0 || size > in.limits.Markdown {
		return o, nil
	}
	if in.total += size * texts; in.total > in.limits.Memory {
		return nil, errs.E(errs.Invalid, "the pages have more than %s together; divide them among several spaces", errs.Size(in.limits.Memory))
	}
	if in.total > smallImport {
		if err := in.from.acquireLarge(); err != nil {
			return nil, err
		}
	}
	o.text = make([]byte, size)
	_, err := io.ReadFull(o.data, o.text)
	o.data = bytes.NewReader(o.text)
	return o, err
}

// readObject is an object that is being read. Several paths may share it.
type readObject struct {
	in   *blobFetch
	oid  string
	size int64
	data io.Reader
	text []byte
	file docs.File
}

// count counts the bytes of a file; it returns false for a file that is too large to store. Zeros
// compress to almost nothing in a repository, but not in the blob store.
func (o *readObject) count() (fits bool, err error) {
	in := o.in
	if o.size > in.limits.Asset {
		return false, nil
	}
	if in.unpacked += o.size; in.unpacked > in.limits.Unpacked {
		return false, errs.E(errs.Invalid, "the new files have more than %s together", errs.Size(in.limits.Unpacked))
	}
	return true, nil
}

// hold reads the bytes into memory, because data is only valid during the callback that reads it.
func (o *readObject) hold() error {
	if o.text != nil {
		return nil
	}
	b := make([]byte, o.size)
	_, err := io.ReadFull(o.data, b)
	o.data = bytes.NewReader(b)
	return err
}

// keep stores the bytes as a file, once for all paths.
func (o *readObject) keep(ctx context.Context, name string) (docs.File, error) {
	if o.file.Blob == "" {
		fits, err := o.count()
		if !fits || err != nil {
			return docs.File{}, err
		}
		if o.file, err = o.in.from.s.keepAs(ctx, name, o.oid, o.data); err != nil {
			return o.file, err
		}
	}
	f := o.file
	f.Path, f.Name = name, path.Base(name)
	return f, nil
}
