package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
)

// pocketbase is a PocketBase server with the pages of a corpus as records of one
// collection. It has the default settings: it writes with synchronous=NORMAL, so an
// update is not necessarily on disk when the response is sent, and it logs requests
// in a separate database.
type pocketbase struct {
	*site
	clients []*editor
}

const (
	pocketbaseEmail    = "bench@octavo.example"
	pocketbasePassword = "benchmarks"
)

// build starts the program and creates the records.
func (pb *pocketbase) build(ctx context.Context, bin string, c *corpus, clients int) (err error) {
	data := filepath.Join(pb.dir, "data")
	// A program in a temporary folder would run in development mode, which
	// prints each statement.
	cmd := onAllCores(ctx, bin, "superuser", "upsert", "--dev=false", "--dir", data, pocketbaseEmail, pocketbasePassword)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("superuser upsert: %w\n%s", err, out)
	}
	if pb.addr, err = freeAddr(); err != nil {
		return err
	}
	if pb.server, err = pb.start(pb.pin.command(bin, "serve", "--dev=false", "--dir", data, "--http", pb.addr)); err != nil {
		return err
	}
	if err := pb.readyAt(ctx, "/api/health"); err != nil {
		return err
	}
	if err := pb.logIn(ctx); err != nil {
		return err
	}
	if err := pb.createCollection(ctx); err != nil {
		return err
	}
	for k := range clients {
		client := &editor{}
		for i := k * clientPages; i < (k+1)*clientPages; i++ {
			if err := pb.createRecord(ctx, client, c, i); err != nil {
				return err
			}
		}
		pb.clients = append(pb.clients, client)
	}
	return nil
}

// post sends v as JSON and decodes the answer into out.
func (pb *pocketbase) post(ctx context.Context, path string, v, out any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	a, err := pb.fetch(ctx, http.MethodPost, path, string(body))
	return errors.Join(err, json.Unmarshal(a.Body, out))
}

func (pb *pocketbase) logIn(ctx context.Context) error {
	var got struct{ Token string }
	err := pb.post(ctx, "/api/collections/_superusers/auth-with-password", map[string]string{"identity": pocketbaseEmail, "password": pocketbasePassword}, &got)
	pb.token = got.Token
	return err
}

func (pb *pocketbase) createCollection(ctx context.Context) error {
	return pb.post(ctx, "/api/collections", map[string]any{
		"name": "pages", "type": "base",
		"fields": []any{
			map[string]any{"name": "title", "type": "text"},
			map[string]any{"name": "text", "type": "text", "max": 100_000},
			map[string]any{"name": "updated", "type": "autodate", "onCreate": true, "onUpdate": true},
		},
	}, &struct{}{})
}

// createRecord creates the record of page i and prepares its update.
func (pb *pocketbase) createRecord(ctx context.Context, client *editor, c *corpus, i int) error {
	const records = "/api/collections/pages/records"
	var created struct{ ID string }
	if err := pb.post(ctx, records, map[string]string{"title": c.article(i).title, "text": c.source(i, firstWords)}, &created); err != nil {
		return err
	}
	source := c.source(i, editedText)
	body, err := json.Marshal(map[string]string{"text": source})
	if err != nil {
		return err
	}
	client.addRequest(request("PATCH", pb.addr, records+"/"+created.ID, pb.token, string(body)), len(source))
	return nil
}

// updates returns the load of all clients, each with its own records.
func (pb *pocketbase) updates() load {
	return load{addr: pb.addr, conns: len(pb.clients), editors: pb.clients}
}
