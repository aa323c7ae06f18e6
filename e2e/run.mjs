// Entry point: `node run.mjs [-v] [scenario…]`. See README.md.

import { INTERFACE } from './interface.mjs';
import { readConfig } from './lib/config.mjs';
import { chosen, play } from './lib/play.mjs';
import { report } from './lib/report.mjs';

const choice = chosen(process.argv.slice(2));
const passed = await play(readConfig(), choice, (outcome) => report({ ...outcome, nouns: INTERFACE, verbose: choice.verbose }));
process.exitCode = passed ? 0 : 1;
