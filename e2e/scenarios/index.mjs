// Every scenario, in the order in which they run. Each gets an organization of its own, with alice
// as its admin, and relies on nothing that another scenario did.

import changeRequests from './change_requests.mjs';
import collections from './collections.mjs';
import comments from './comments.mjs';
import content from './content.mjs';
import conversations from './conversations.mjs';
import documents from './documents.mjs';
import embeds from './embeds.mjs';
import files from './files.mjs';
import fonts from './fonts.mjs';
import git from './git.mjs';
import insights from './insights.mjs';
import invites from './invites.mjs';
import isolation from './isolation.mjs';
import links from './links.mjs';
import machines from './machines.mjs';
import members from './members.mjs';
import organizations from './organizations.mjs';
import pdf from './pdf.mjs';
import permissions from './permissions.mjs';
import previews from './previews.mjs';
import published from './published.mjs';
import renderer from './renderer.mjs';
import reviews from './reviews.mjs';
import revisions from './revisions.mjs';
import oidc from './oidc.mjs';
import openapi from './openapi.mjs';
import translations from './translations.mjs';
import saml from './saml.mjs';
import search from './search.mjs';
import siteAudience from './site_audience.mjs';
import siteSettings from './site_settings.mjs';
import sites from './sites.mjs';
import spaces from './spaces.mjs';
import teams from './teams.mjs';
import today from './today.mjs';
import tokens from './tokens.mjs';
import transport from './transport.mjs';
import users from './users.mjs';
import webhooks from './webhooks.mjs';

export const SCENARIOS = {
    transport,
    users,
    tokens,
    organizations,
    members,
    machines,
    invites,
    teams,
    collections,
    spaces,
    permissions,
    content,
    documents,
    files,
    revisions,
    change_requests: changeRequests,
    reviews,
    links,
    pdf,
    search,
    comments,
    webhooks,
    oidc,
    saml,
    sites,
    site_settings: siteSettings,
    site_audience: siteAudience,
    fonts,
    openapi,
    conversations,
    translations,
    published,
    previews,
    embeds,
    insights,
    renderer,
    today,
    git,
    isolation,
};
