package export

import (
	"archive/tar"
	"context"
	"fmt"
	"io"

	"github.com/octavo-docs/octavo/internal/site/publish/page"
)

// Archive writes a site into a tar archive, with the files of Write. The last file of a
// complete archive is Marker.
func Archive(ctx context.Context, pages *page.Shared, e Site, w io.Writer) error {
	out := tar.NewWriter(w)
	err := Write(ctx, pages, e, func(name string, size int64, r io.Reader) error {
		// No modification time is set, so that the same content produces the same bytes.
		if err := out.WriteHeader(&tar.Header{Name: name, Size: size, Mode: 0o644, Format: tar.FormatPAX}); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		_, err := io.Copy(out, r)
		return err
	})
	if err != nil {
		return err
	}
	return out.Close()
}
