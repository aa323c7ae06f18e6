// Entry point: `node client.mjs [-v] [scenario…]`. Tells what the client of today, `gitbook-api-renderer`, gets from
// the server. See README.md.

import { readConfig } from './lib/config.mjs';
import { clientDocument } from './lib/description.mjs';
import { chosen, play } from './lib/play.mjs';
import { reportClient } from './lib/report.mjs';

const passed = await play(readConfig(), chosen(process.argv.slice(2)), (outcome) => reportClient(clientDocument(), outcome));
process.exitCode = passed ? 0 : 1;
