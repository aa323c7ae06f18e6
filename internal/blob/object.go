package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/minio/minio-go/v7"
)

const (
	// Objects of a bucket are read in pieces of increasing size. Reading only the first
	// bytes transfers little, and reading everything needs few requests.
	firstPiece = 256 << 10
	lastPiece  = 8 << 20
	// readAttempts is the maximum number of attempts to read a piece.
	readAttempts = 3
)

// object is an Object in a Bucket. It can be read until the context of Open ends.
type object struct {
	ctx   context.Context
	b     *Bucket
	info  Info
	at    int64         // offset of the next Read
	piece io.ReadCloser // body of the current response, or nil
	left  int64         // remaining bytes of piece
	size  int64         // size of the last requested piece
}

func (o *object) Info() Info { return o.info }

// Read reads from the current piece, or requests the next one.
func (o *object) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if o.at >= o.info.Size {
		return 0, io.EOF
	}
	for attempt := 1; ; attempt++ {
		n, err := o.readPiece(p)
		if n > 0 {
			return n, nil
		}
		if attempt == readAttempts || o.ctx.Err() != nil || absent(err) {
			return 0, fmt.Errorf("read a file in the bucket: %w", err)
		}
		select {
		case <-time.After(time.Duration(attempt) * retryPause):
		case <-o.ctx.Done():
		}
	}
}

func (o *object) readPiece(p []byte) (int, error) {
	if o.piece == nil {
		o.size = min(max(2*o.size, firstPiece), lastPiece)
		o.left = min(o.size, o.info.Size-o.at)
		piece, err := o.get(o.at, o.left)
		if err != nil {
			return 0, err
		}
		o.piece = piece
	}
	n, err := o.piece.Read(p[:min(int64(len(p)), o.left)])
	o.at += int64(n)
	o.left -= int64(n)
	if o.left == 0 || err != nil {
		o.drop()
	}
	if n == 0 && (err == nil || errors.Is(err, io.EOF)) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func (o *object) get(off, n int64) (io.ReadCloser, error) {
	var opts minio.GetObjectOptions
	if err := opts.SetRange(off, off+n-1); err != nil {
		return nil, err
	}
	body, _, _, err := o.b.core.GetObject(o.ctx, o.b.s3.Bucket, o.b.key(o.info.Hash), opts)
	return body, err
}

func (o *object) drop() {
	if o.piece != nil {
		o.piece.Close()
		o.piece = nil
	}
}

// Seek sends no request; the next Read does.
func (o *object) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += o.at
	case io.SeekEnd:
		offset += o.info.Size
	}
	if offset < 0 {
		return 0, errors.New("seek before the beginning")
	}
	if offset != o.at {
		o.drop()
		o.at, o.size = offset, 0
	}
	return offset, nil
}

// ReadAt requests exactly the given range.
func (o *object) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, errors.New("read before the beginning")
	}
	want := min(int64(len(p)), o.info.Size-off)
	if want <= 0 {
		if len(p) == 0 {
			return 0, nil
		}
		return 0, io.EOF
	}
	part := &object{ctx: o.ctx, b: o.b, info: o.info, at: off}
	defer part.drop()
	// Limit the size, so that a single piece covers the range.
	part.info.Size = off + want
	n, err := io.ReadFull(part, p[:want])
	if err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}

// Close ends the transfer.
func (o *object) Close() error {
	o.drop()
	return nil
}
