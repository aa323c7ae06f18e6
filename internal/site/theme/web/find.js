"use strict";
// Searches the pages of a site without a server. The index is made of scripts, which
// browsers load from a folder too: a list of the pages, the words of pages in parts by how
// words begin, and the texts in parts of some pages each. See the exporter in Go.
(() => {
  const input = document.getElementById("~search");
  if (!input || !input.dataset.live) return;
  const at = new URL(input.dataset.live, document.baseURI), home = new URL("../../../", at);
  const everywhere = (input.dataset.scope || "").split(" ").map(Number); // the space that is shown first
  const MOST = 20, BEFORE = 60, LENGTH = 200;

  const parts = new Map(), waiting = new Map();
  globalThis.octavoIndex = (name, data) => waiting.get(name)?.(data);
  const load = name => {
    if (!parts.has(name)) parts.set(name, new Promise((done, fail) => {
      waiting.set(name, done);
      const script = document.createElement("script");
      script.src = new URL(name + ".js", at).href;
      script.onerror = () => { parts.delete(name); fail(new Error("the index is not complete: " + name)); };
      document.head.append(script);
    }));
    return parts.get(name);
  };

  // Words as the exporter cuts them: without case and accents, and one for each character of a
  // script without blanks.
  const folds = { "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ı": "i" };
  const fold = text => text.toLowerCase().normalize("NFD").replace(/[\u0300-\u036f\u00ad]/g, "").normalize("NFC").replace(/[ßæœøđðþłı]/g, c => folds[c]);
  const words = text => fold(text).replace(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu, " $& ").match(/[\p{L}\p{N}\p{M}]+/gu) || [];
  const shard = (word, count) => { const [a, b] = word; return (a.codePointAt(0) * 31 + (b ? b.codePointAt(0) : 0)) % count; };

  // matches returns how much each page is about a word, or a word that begins with it.
  const matches = async (word, { pages, shards }, scope) => {
    const found = new Map();
    const add = (page, weight) => { if (scope.has(pages[page][0])) found.set(page, Math.max(found.get(page) || 0, weight)); };
    for (const [term, list] of Object.entries(await load("terms-" + shard(word, shards)))) {
      if (!term.startsWith(word)) continue;
      for (let i = 0, page = 0; i < list.length; i += 2) add(page += list[i], list[i + 1] * (term === word ? 1 : 0.6));
    }
    if ([...word].length === 1) pages.forEach((p, i) => { if (words(p[1]).some(w => w.startsWith(word))) add(i, 5); });
    const rare = Math.log(1 + pages.length / (1 + found.size));
    for (const [page, weight] of found) found.set(page, weight * rare);
    return found;
  };

  // hit shows the part of a page that has most of the words.
  const hit = async ([, title, where, href, part], page, asked) => {
    let best, most = 0;
    for (const section of (await load("text-" + part))[page] || []) {
      const text = fold(section[1] + " " + section[2]), count = asked.filter(w => text.includes(w)).length;
      if (count > most || !best) [best, most] = [section, count];
    }
    const [anchor, , text] = best || ["", "", ""], plain = text.toLowerCase();
    const first = Math.max(0, Math.min(...asked.map(w => plain.indexOf(w)).filter(i => i >= 0), plain.length) - BEFORE);
    const from = first && most && first < plain.length - BEFORE ? text.indexOf(" ", first) + 1 : 0;
    const url = new URL(href, home);
    if (anchor && most) url.hash = anchor;
    return { title, where, href: url.href, text: (from ? "… " : "") + text.slice(from, from + LENGTH).trim() + (text.length > from + LENGTH ? " …" : "") };
  };

  globalThis.octavoFind = async (query, oneSection) => {
    const asked = [...new Set(words(query))].slice(0, 10);
    if (!asked.length) return [];
    const scope = new Set(oneSection ? everywhere.slice(0, 1) : everywhere);
    const index = await load("pages"), each = await Promise.all(asked.map(w => matches(w, index, scope)));
    let pages = [...each[0].keys()].filter(p => each.every(m => m.has(p)));
    if (!pages.length) pages = [...new Set(each.flatMap(m => [...m.keys()]))];
    const score = p => each.reduce((sum, m) => sum + (m.get(p) || 0), 0);
    const best = pages.map(p => [score(p), p]).sort((a, b) => b[0] - a[0] || a[1] - b[1]).slice(0, MOST);
    return Promise.all(best.map(([, p]) => hit(index.pages[p], p, asked)));
  };
})();
