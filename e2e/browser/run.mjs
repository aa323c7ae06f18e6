// Entry point: `node browser/run.mjs [reading|access|…]`. See README.md.

import { access } from './access.mjs';
import { attacks } from './attacks.mjs';
import { blocks } from './blocks.mjs';
import { exported } from './export.mjs';
import { fields } from './fields.mjs';
import { finder } from './finder.mjs';
import { Run, startBrowser, startOctavo } from './lib.mjs';
import { media } from './media.mjs';
import { oidc } from './oidc.mjs';
import { people } from './people.mjs';
import { reading } from './reading.mjs';
import { descriptions, references } from './references.mjs';
import { sso } from './sso.mjs';
import { speed } from './speed.mjs';

const PARTS = { reading, finder, blocks, access, people, sso, oidc, attacks, fields, media, references, export: exported, descriptions, speed };
const MEASURES = ['descriptions', 'speed']; // played only when they are asked for

const octavo = await startOctavo();
const browser = await startBrowser();
try {
    const run = new Run(browser, octavo);
    const chosen = process.argv.slice(2);
    for (const [name, part] of Object.entries(PARTS)) {
        if (chosen.length === 0 ? !MEASURES.includes(name) : chosen.includes(name)) await part(run);
    }
    console.log(`browser: ${await browser.version()}, checks: ${run.checks}, failed tests: ${run.failures.length}`);
    process.exitCode = run.failures.length === 0 ? 0 : 1;
} finally {
    await browser.close();
    await octavo.stop();
}
