package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/web/services"
)

type orgQuotaCmd struct {
	storeFlags
	ID            string `arg:"" help:"Id of the organization."`
	Space         string `help:"Change the quotas of this space instead."`
	Content       string `help:"Bytes of text with its history, such as 500MiB; none is unlimited, as for all of these." placeholder:"SIZE"`
	Files         string `help:"Bytes of files with their history." placeholder:"SIZE"`
	Pages         string `help:"Pages." placeholder:"N"`
	Members       string `help:"Members, with guests and service accounts." placeholder:"N"`
	Webhooks      string `help:"Webhooks." placeholder:"N"`
	GitOperations string `help:"Git imports and exports that people and webhooks of repositories ask for in a day." placeholder:"N"`
	JSON          bool   `help:"Print lines of JSON." name:"json"`
}

func (c *orgQuotaCmd) Run(ctx context.Context, s streams) error {
	set, unlimited, err := c.changes()
	if err != nil {
		return err
	}
	return c.with(ctx, func(sv *services.Services) error {
		org := docs.OrgID(c.ID)
		if _, err := sv.Store.Organization(ctx, org); err != nil {
			return err
		}
		if len(set)+len(unlimited) > 0 {
			if err := sv.Orgs.Operator.SetQuotas(ctx, org, docs.SpaceID(c.Space), set, unlimited); err != nil {
				return err
			}
		}
		u, err := sv.Orgs.Organizations.Usage(ctx, org)
		if err != nil {
			return err
		}
		return printLines(s, c.JSON, quotaLines(u))
	})
}

// changes returns the quotas that the flags set, and the quotas that become unlimited.
func (c *orgQuotaCmd) changes() (docs.Quotas, []docs.Quota, error) {
	set := docs.Quotas{}
	var unlimited []docs.Quota
	for i, value := range []string{c.Content, c.Files, c.Pages, c.Members, c.Webhooks, c.GitOperations} {
		of := docs.AllQuotas[i]
		switch {
		case value == "":
			continue
		case c.Space != "" && !of.OfSpaces():
			return nil, nil, fmt.Errorf("the quota %q is of organizations, not of spaces", of)
		case value == "none":
			unlimited = append(unlimited, of)
			continue
		}
		n, err := strconv.ParseInt(value, 10, 64)
		if of.InBytes() && err != nil {
			n, err = parseBytes(value)
		}
		if err != nil || n < 0 {
			form := "a number"
			if of.InBytes() {
				form = "bytes, such as 500MiB,"
			}
			return nil, nil, fmt.Errorf("%q is no quota for %q: use %s or none", value, of, form)
		}
		set[of] = n
	}
	return set, unlimited, nil
}

// quotaLine is a quota in the output of the command.
type quotaLine struct {
	Space docs.SpaceID `json:"space,omitempty"`
	Quota docs.Quota   `json:"quota"`
	Used  int64        `json:"used"`
	Most  *int64       `json:"most,omitempty"`
}

func (l quotaLine) String() string {
	most := "unlimited"
	if l.Most != nil {
		most = strconv.FormatInt(*l.Most, 10)
	}
	return strings.TrimSpace(fmt.Sprintf("%s\t%d of %s\t%s", l.Quota, l.Used, most, l.Space))
}

func quotaLines(u orgs.Usage) (out []quotaLine) {
	line := func(of docs.Quota, space docs.SpaceID, used docs.Usage, q docs.Quotas) {
		out = append(out, quotaLine{Space: space, Quota: of, Used: used[of], Most: q.Of(of)})
	}
	for _, of := range docs.AllQuotas {
		line(of, "", u.Used, u.Quotas)
	}
	for _, sp := range u.Spaces {
		for _, of := range docs.AllQuotas {
			if _, limited := sp.Quotas[of]; limited {
				line(of, sp.ID, sp.Usage, sp.Quotas)
			}
		}
	}
	return out
}
