// Package exchange turns folders and git trees into drafts, and revisions into files. Unchanged
// content keeps its bytes in both directions.
//
// An import is planned before it runs: the Plan says how much of the folder has to be read, and
// why.
//
// Where a change goes:
//   - how a push is imported: plan.go decides what is read, upstream.go imports single
//     files, incremental.go a change of the structure, import.go a folder;
//     content/gitsync/import.go commits or merges the result
package exchange

import (
	"context"

	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/content/revision"
)

// Mode is the part of an upstream that an import reads.
type Mode string

// Modes of an import.
const (
	ChangedFiles Mode = "changed files" // the files that differ; the structure is as before
	Incremental  Mode = "incremental"   // the structure, and the files that differ
	WholeFolder  Mode = "whole folder"  // all files
)

// Plan is an import that was planned and not run yet. The files that planning needed are already
// read.
type Plan struct {
	Mode   Mode
	Reason string // why a smaller mode is not enough

	in          *source
	changed     []*changedFile
	folder      *readFolder
	incremental *incremental
}

// Import returns the draft that an upstream makes of a revision. It stores nothing but the bytes of
// files.
func (s *Exchange) Import(ctx context.Context, base *revision.View, up Upstream, step Step) (*Imported, error) {
	p, err := s.Plan(ctx, base, up, step)
	if err != nil {
		return nil, err
	}
	out, err := p.Run(ctx)
	if err != nil {
		p.in.releaseLarge()
	}
	return out, err
}

// Plan decides how an upstream is imported. An error of reading
// the upstream is returned, and is never a reason to read more of it.
func (s *Exchange) Plan(ctx context.Context, base *revision.View, up Upstream, step Step) (p *Plan, err error) {
	p = &Plan{in: &source{s: s, base: base, up: up, step: step, draft: s.draft(base)}}
	defer func() {
		if err != nil {
			p.in.releaseLarge()
		}
	}()
	switch {
	case !up.Paired:
		p.Reason = "no revision is known to be equal to an earlier state of the upstream"
	case up.AtLeast == WholeFolder:
		p.Reason = "there may be files that no import has read"
	default:
		if p.Reason = "the caller asked for it"; up.AtLeast != Incremental {
			if p.changed, p.Reason, err = p.in.changedFiles(ctx); err != nil || p.Reason == "" {
				p.Mode = ChangedFiles
				return p, err
			}
		}
		var why string
		if p.incremental, p.folder, why, err = p.in.planIncremental(ctx); err != nil || why == "" {
			p.Mode = Incremental
			return p, err
		}
		p.Reason += "; " + why
	}
	p.Mode, p.incremental = WholeFolder, nil
	p.folder, err = p.in.readFolder(ctx, readAll)
	return p, err
}

// readAll makes an import read every file.
func readAll(context.Context, string) (folder.Source, bool, error) {
	return folder.Source{}, false, nil
}

// Run runs the planned import.
func (p *Plan) Run(ctx context.Context) (*Imported, error) {
	if p.Mode == ChangedFiles {
		return p.in.importFiles(ctx, p.changed)
	}
	return p.in.importFolder(ctx, p.folder, p.incremental)
}

// source is the upstream of an import and the draft that the import makes.
type source struct {
	s     *Exchange
	base  *revision.View
	up    Upstream
	step  Step
	draft *revision.Draft
	all   []UpstreamFile // files that can be content; nil: not listed yet

	release func() // set by acquireLarge
}

// draft returns a draft on a revision.
func (s *Exchange) draft(base *revision.View) *revision.Draft {
	if s.NewDraft != nil {
		return s.NewDraft(base)
	}
	return base.DraftAt(s.Store.Clock())
}
