package wire

import (
	"net/url"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/exchange"
	"github.com/octavo-docs/octavo/internal/docs"
)

// File is the JSON form of a file.
type File struct {
	ID          string      `json:"id"`
	Name        string      `json:"name"`
	ContentType string      `json:"contentType"`
	DownloadURL string      `json:"downloadURL" doc:"Signed; valid for at least a day."`
	Size        int64       `json:"size"`
	Dimensions  *dimensions `json:"dimensions,omitempty"`
	Git         *GitBlob    `json:"git,omitempty"`
}

// GitBlob is the JSON form of a file in git.
type GitBlob struct {
	OID  string `json:"oid"`
	Path string `json:"path"`
}

// GitBlobOf returns the JSON form of a file in git, or nil if there is no object id.
func GitBlobOf(oid, path string) *GitBlob {
	if oid == "" {
		return nil
	}
	return &GitBlob{oid, path}
}

type dimensions struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

// DimensionsOf returns the size of an image in pixels, or nil if it is not known.
func DimensionsOf(f docs.File) *dimensions {
	if f.Width == 0 || f.Height == 0 {
		return nil
	}
	return &dimensions{f.Width, f.Height}
}

// File returns the JSON form of a file, with the git object id and path that the file
// itself records.
func (v *Views) File(g *authz.Grant, sp docs.Space, f docs.File) File {
	return v.FileFor(BearerOf(g), sp, f, GitBlobOf(exchange.GitNames{}.File(f)))
}

// FileFor returns the JSON form of a file for the bearer of its address.
func (v *Views) FileFor(by Bearer, sp docs.Space, f docs.File, git *GitBlob) File {
	return File{
		ID: string(f.ID), Name: f.Name, ContentType: f.ContentType, Size: f.Size,
		DownloadURL: v.DownloadURL(by, sp, f), Dimensions: DimensionsOf(f), Git: git,
	}
}

// DownloadURL returns an address from which a file can be downloaded without a token
// until DownloadEnd. The address of a member works as long as the member can read the
// space. The address of a visitor works as long as the site shows the space to its
// audience and the visitor belongs to the audience. The address of a preview works as
// long as the member sees the space on the site. The signature covers everything that
// decides what is sent.
func (v *Views) DownloadURL(by Bearer, sp docs.Space, f docs.File) string {
	expires := v.DownloadEnd()
	signed := append([]string{string(sp.ID), string(f.ID), f.Blob, f.Name, f.ContentType}, by.Signed()...)
	query := "?type=" + url.QueryEscape(f.ContentType) + by.Query()
	return v.Location("files", string(sp.ID), string(f.ID), f.Blob, url.PathEscape(f.Name)) + query + "&signature=" + v.Signer.Sign(expires, signed...)
}

// FileURL returns an address from which a member can download a file as long as the
// member can read the space.
func (v *Views) FileURL(user docs.UserID, sp docs.Space, f docs.File) string {
	return v.DownloadURL(Bearer{User: user}, sp, f)
}
