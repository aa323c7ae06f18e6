"use strict";
// Searches the pages of a site without a server, and answers as a server does: see Found in
// results.go. The index is made of scripts, which browsers load from a folder too: a list of the
// pages, the words of pages in parts by how words begin, and the texts in parts of some pages each.
// See the exporter in Go.
(() => {
  const form = document.querySelector(".search[data-live]");
  if (!form) return;
  const at = new URL(form.dataset.live, document.baseURI), home = new URL("../../../", at);
  const everywhere = (form.dataset.scope || "").split(" ").map(Number); // the space that is shown first
  const PAGES = 20, HITS = 40, HEADINGS = 2, FIRST = 6, WORDS = 10, BEFORE = 60, LENGTH = 200;

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
  const UNSPACED = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";
  const WORD = new RegExp(`[${UNSPACED}]\\p{M}*|(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}\\u00ad])+`, "gu");
  const folds = { "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ł": "l", "ı": "i" };
  const fold = text => text.toLowerCase().normalize("NFD").replace(/[\u0300-\u036f\u00ad]/g, "").normalize("NFC").replace(/[ßæœøđðþłı]/g, c => folds[c]);
  const words = text => (text.match(WORD) || []).map(fold).filter(Boolean);
  const shard = (word, count) => { const [a, b] = word; return (a.codePointAt(0) * 31 + (b ? b.codePointAt(0) : 0)) % count; };
  const count = (text, asked) => { const all = words(text); return asked.filter(w => all.some(o => o.startsWith(w))).length; };

  // mark returns a text in parts, every second of which is a word that was asked for, as a whole.
  const mark = (text, asked) => {
    const out = [""];
    for (const { 0: word, index } of text.matchAll(WORD)) {
      const folded = fold(word);
      if (!asked.some(w => folded.startsWith(w))) continue;
      const before = text.slice(out.join("").length, index);
      if (!before && out.length > 1) { out[out.length - 2] += word; continue; } // a part of the same word
      out[out.length - 1] += before;
      out.push(word, "");
    }
    out[out.length - 1] = text.slice(out.join("").length);
    return out.at(-1) || out.length === 1 ? out : out.slice(0, -1);
  };

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

  // snippet returns the part of a text around the first word that was asked for.
  const snippet = (text, asked) => {
    let first = 0;
    for (const { 0: word, index } of text.matchAll(WORD)) if (asked.some(w => fold(word).startsWith(w))) { first = index; break; }
    const blank = text.indexOf(" ", first - BEFORE), from = first <= BEFORE ? 0 : blank >= 0 && blank < first ? blank + 1 : first - BEFORE, end = from + LENGTH;
    return (from ? "…" : "") + text.slice(from, end).trim() + (text.length > end ? "…" : "");
  };

  // The section that is read is not named.
  const above = ([space, , titles], { pages }) => space === everywhere[0] && pages.some(p => p[0] !== space) ? titles.split(" › ").slice(1).join(" › ") : titles;

  const hit = (row, index) => {
    const [, title, , href, , sign] = row;
    return { title: [title], where: above(row, index), href: new URL(href, home).href, ...(typeof sign === "string" ? { emoji: sign } : sign >= 0 ? { icon: index.icons[sign] } : {}) };
  };

  // hits returns a page, if its title or its beginning answers, and the headings that answer best.
  const hits = async (page, index, asked) => {
    const row = index.pages[page], of = hit(row, index);
    of.title = mark(row[1], asked);
    const sections = ((await load("text-" + row[4]))[page] || []).map(([anchor, title, text]) => ({ anchor, title, text, score: 3 * count(title, asked) + count(text, asked) })).filter(s => s.score);
    sections.sort((a, b) => b.score - a.score);
    const start = sections.find(s => !s.anchor), out = [];
    if (of.title.length > 1 || start === sections[0]) out.push({ ...of, ...(start ? { text: mark(snippet(start.text, asked), asked) } : {}) });
    const below = sections.filter(s => s.anchor && 2 * s.score >= sections[0].score).slice(0, out.length ? HEADINGS : HEADINGS + 1);
    for (const s of below) out.push({ ...of, heading: mark(s.title, asked), text: mark(snippet(s.text, asked), asked), href: of.href + "#" + encodeURIComponent(s.anchor) });
    return out;
  };

  // first returns the first page of each part of a space, and then the next ones.
  const first = index => {
    const here = index.pages.filter(p => p[0] === everywhere[0]), known = new Set();
    const begin = here.filter(p => { const top = above(p, index).split(" › ")[0] || p[3]; return !known.has(top) && known.add(top); });
    return [...new Set([...begin, ...here])].slice(0, FIRST).map(p => hit(p, index));
  };

  globalThis.octavoFind = async (query, oneSection) => {
    const whole = words(query), asked = [...new Set(whole)].slice(0, WORDS);
    const index = await load("pages");
    if (!asked.length) return { hits: [], suggested: first(index) };
    const scope = new Set(oneSection ? everywhere.slice(0, 1) : everywhere);
    const each = await Promise.all(asked.map(w => matches(w, index, scope)));
    let pages = [...each[0].keys()].filter(p => each.every(m => m.has(p)));
    if (!pages.length) pages = [...new Set(each.flatMap(m => [...m.keys()]))];
    // Titles that are the query come first, those with all of its words second.
    const rank = p => { const title = words(index.pages[p][1]); return title.join(" ") === whole.join(" ") ? 0 : count(index.pages[p][1], asked) === asked.length ? 1 : 2; };
    const score = p => each.reduce((sum, m) => sum + (m.get(p) || 0), 0);
    const best = pages.map(p => [score(p), rank(p), p]).sort((a, b) => a[1] - b[1] || b[0] - a[0] || a[2] - b[2]).slice(0, PAGES);
    const found = (await Promise.all(best.map(([, , p]) => hits(p, index, asked)))).flat().slice(0, HITS);
    return { hits: found, ...(found.length ? {} : { suggested: first(index) }) };
  };
})();
