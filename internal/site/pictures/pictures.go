// Package pictures makes pictures of sites with fewer pixels, for readers whose screens show no
// more of them, and keeps what it made.
//
// What strangers can ask for is bounded: pictures that a site has, in a few widths, each made
// once; a picture that would need much memory stays as it is, and so does one that cannot be
// read. Results are in a folder of the node, which may be removed at any time.
//
// Where a change goes:
//   - which widths there are, and of which pictures: widths.go
//   - what is read of a picture before it is decoded, and what decoding it may cost: head.go
//   - how pixels become fewer: scale.go; in which format they are written: encode.go
//   - the folder: kept.go
package pictures

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
)

// Limits.
const (
	maxFile   = 32 << 20  // bytes of the file of a picture that is made smaller
	maxPixels = 40 << 20  // of a picture that is made smaller
	maxMemory = 96 << 20  // bytes that one picture needs at most while it is made smaller
	allMemory = 128 << 20 // bytes that all pictures need at most
)

// Maker makes pictures with fewer pixels. It is safe for concurrent use.
type Maker struct {
	// Memory is shared by all pictures that are being made, by organization. A picture whose turn does
	// not come stays as it is, this time.
	Memory *budget.Pool

	folder *folder

	mu     sync.Mutex
	making map[key]*work
	made   int64 // pictures that were decoded
}

// key identifies a result: the content of a picture and a width.
type key struct {
	hash  blob.Hash
	width int
}

// work is a result that is being made.
type work struct {
	done chan struct{} // closed at the end
	err  error         // set before
}

// New returns a Maker that keeps at most the given number of bytes in a folder, which is created
// if it does not exist.
func New(dir string, most int64) (*Maker, error) {
	f, err := openFolder(dir, most)
	if err != nil {
		return nil, fmt.Errorf("folder for pictures: %w", err)
	}
	return &Maker{folder: f, Memory: budget.NewPool("pictures", allMemory), making: map[key]*work{}}, nil
}

// Picture is a picture that was made. Its reader must be closed.
type Picture struct {
	io.ReadSeekCloser
	ContentType string
}

// Extension returns the ending of names of files of a type that pictures have.
func Extension(contentType string) string {
	switch contentType {
	case "image/jpeg":
		return ".jpg"
	case "image/webp":
		return ".webp"
	}
	return ".png"
}

// Open returns a picture of a file with one of its Widths, and makes it if necessary. It returns
// nil if the file itself should be sent: always, because it cannot be read or would not become
// smaller, or this time, because the server is busy with other pictures. Then final is false.
//
// The caller has checked that the reader may see the file. open returns its content. who pays for
// the work.
func (m *Maker) Open(ctx context.Context, who string, f docs.File, width int, open func() (blob.Object, error)) (p *Picture, final bool, err error) {
	hash, err := blob.ParseHash(f.Blob)
	if err != nil {
		return nil, true, nil
	}
	k := key{hash, width}
	for {
		if p, known, err := m.folder.open(k); known || err != nil {
			return p, true, err
		}
		w, mine := m.begin(k)
		if mine {
			w.err = m.make(ctx, who, k, open)
			m.end(k, w)
		} else {
			budget.EndTurn(ctx) // the one who makes the picture may wait for it
			select {
			case <-w.done:
			case <-ctx.Done():
				return nil, false, ctx.Err()
			}
		}
		switch {
		case w.err == nil:
		case errs.Is(w.err, errs.Busy):
			return nil, false, nil
		case !mine && errs.Cancelled(w.err): // that reader has left, but this one has not
		default:
			return nil, false, w.err
		}
	}
}

// begin returns the work for a result, and reports whether the caller has to do it.
func (m *Maker) begin(k key) (w *work, mine bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if w, ok := m.making[k]; ok {
		return w, false
	}
	w = &work{done: make(chan struct{})}
	m.making[k] = w
	return w, true
}

func (m *Maker) end(k key, w *work) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.making, k)
	close(w.done)
}

// Made returns how many pictures were decoded since the start.
func (m *Maker) Made() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.made
}

// make makes a result and keeps it. A picture that cannot be made smaller is kept as a mark, so
// that nobody tries again.
func (m *Maker) make(ctx context.Context, who string, k key, open func() (blob.Object, error)) error {
	o, err := open()
	if err != nil {
		return err
	}
	defer o.Close()
	h, err := readHead(o, o.Info().Size)
	if err != nil {
		return err
	}
	size := o.Info().Size
	if size > maxFile || !h.usable(k.width) || h.memory(k.width)+size > maxMemory {
		return m.folder.put(k, nil)
	}
	release, err := m.Memory.Enter(ctx, who, h.memory(k.width)+size)
	if err != nil {
		return err
	}
	defer release()
	if err := budget.Turn(ctx); err != nil {
		return err
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(o, data); err != nil {
		return fmt.Errorf("read a picture: %w", err)
	}
	m.mu.Lock()
	m.made++
	m.mu.Unlock()
	return m.folder.put(k, smaller(data, h, k.width))
}
