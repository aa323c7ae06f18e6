package server

import (
	"context"
	"path/filepath"
	"time"

	"github.com/octavo-docs/octavo/internal/site/pictures"
)

// PicturePath returns the path of the pictures that were made smaller in a data folder. It can be
// deleted while the server is stopped.
func PicturePath(dir string) string { return filepath.Join(dir, "pictures") }

// tidyEvery is how often pictures are removed whose files are gone. It is no job: each node has a
// folder of its own.
const tidyEvery = 24 * time.Hour

// openPictures opens the folder of pictures, if there is space for any.
func (s *Server) openPictures() (err error) {
	if s.PictureCache > 0 {
		s.pictures, err = pictures.New(PicturePath(filepath.Dir(s.Files.Folder)), s.PictureCache)
	}
	return err
}

// tidyPictures removes pictures of files that are gone, until ctx ends.
func (s *Server) tidyPictures(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(tidyEvery):
		}
		removed, err := s.pictures.Tidy(ctx, s.Blobs)
		if err != nil && ctx.Err() == nil {
			s.Log.Warn("pictures of deleted files could not be removed", "error", err)
		}
		if removed > 0 {
			s.Log.Info("removed pictures of deleted files", "pictures", removed)
		}
	}
}
