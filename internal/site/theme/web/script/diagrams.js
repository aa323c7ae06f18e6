// Diagrams are drawn in a frame that can reach nothing, and shown as pictures. What was drawn is
// kept in the browser: the library that draws is large, and a sandbox has no cache of its own, so
// that it would be loaded again on every page.
const sources = all("pre.diagram"), drawer = document.body.dataset.diagrams;

// A database of what was drawn, by a short hash of what it was drawn from. Hashes may collide, so
// the whole of it is compared. The least recently used go if there are too many, or too large ones.
const kept = (() => {
  const MOST = 150, LARGEST = 512 << 10, TOTAL = 8 << 20;
  const wait = request => new Promise((done, fail) => { request.onsuccess = () => done(request.result); request.onerror = () => fail(request.error); });
  const hash = text => {
    let a = 0xdeadbeef, b = 0x41c6ce57;
    for (let i = 0; i < text.length; i++) {
      a = Math.imul(a ^ text.charCodeAt(i), 2654435761);
      b = Math.imul(b ^ text.charCodeAt(i), 1597334677);
    }
    return (a >>> 0).toString(36) + (b >>> 0).toString(36);
  };
  let opened;
  const stores = async mode => {
    opened ??= new Promise((done, fail) => {
      const request = indexedDB.open("octavo-diagrams", 1);
      request.onupgradeneeded = () => { request.result.createObjectStore("drawn"); request.result.createObjectStore("uses"); };
      request.onsuccess = () => done(request.result);
      request.onerror = request.onblocked = () => fail(request.error);
    });
    const t = (await opened).transaction(["drawn", "uses"], mode);
    return [t.objectStore("drawn"), t.objectStore("uses")];
  };
  return {
    async get(from) {
      try {
        const key = hash(from), [drawn, uses] = await stores("readwrite"), found = await wait(drawn.get(key));
        if (found?.from !== from) return;
        uses.put({ at: Date.now(), size: found.from.length + found.text.length }, key);
        return found;
      } catch { /* a browser that keeps nothing */ }
    },
    async put(from, text, failed) {
      const size = from.length + text.length;
      if (size > LARGEST) return;
      try {
        const key = hash(from), [drawn, uses] = await stores("readwrite");
        drawn.put({ from, text, failed }, key);
        uses.put({ at: Date.now(), size }, key);
        const [keys, values] = await Promise.all([wait(uses.getAllKeys()), wait(uses.getAll())]);
        let count = 0, total = 0;
        for (const [i] of [...values.entries()].sort(([, a], [, b]) => b.at - a.at)) {
          total += values[i].size;
          if (++count > MOST || total > TOTAL) { drawn.delete(keys[i]); uses.delete(keys[i]); }
        }
      } catch { /* a browser that keeps nothing */ }
    },
  };
})();

if (sources.length && drawer) {
  // Some diagrams fill the width that there is. It is rounded, so that they are found again in a window like this.
  const room = document.querySelector("article")?.clientWidth || innerWidth, width = Math.min(1120, Math.max(576, Math.floor(room / 32) * 32));
  const frame = make("iframe", { src: drawer, title: say("diagrams"), tabIndex: -1, className: "drawer", "aria-hidden": "true" });
  // In a folder a sandbox could not load its scripts; there every file is an origin of its own anyway.
  if (location.protocol !== "file:") frame.setAttribute("sandbox", "allow-scripts");

  const probe = make("span", { hidden: true });
  document.body.append(probe);
  const color = name => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color.replace(/^color\(srgb ([\d.]+) ([\d.]+) ([\d.]+).*/, (_, ...c) => `rgb(${c.slice(0, 3).map(v => Math.round(v * 255)).join(",")})`);
  };
  const family = getComputedStyle(document.body).fontFamily.split(",").map(f => f.trim()).filter(f => /^[\w-]+$/.test(f)).join(", ");
  const look = () => {
    const colors = Object.fromEntries(["paper", "shade", "raised", "ink", "soft"].map(n => [n, color(n)]));
    return { colors: { ...colors, line: color("strong-line"), danger: color("danger") }, hues: ["fun", "str", "num", "kw", "success", "warning", "danger"].map(color), dark: root.dataset.shown === "dark", font: family, width };
  };

  // A picture sees no font of the page. It gets the files that have its characters, if they are small.
  const LARGEST_FONT = 160 << 10, files = new Map();
  const within = (range, text) => !range || range.split(",").some(part => {
    const [from, to = from] = part.trim().slice(2).split("-").map(n => n.replaceAll("?", "0"));
    const first = parseInt(from, 16), last = parseInt(part.includes("?") ? part.trim().slice(2).replaceAll("?", "F") : to, 16);
    return [...text].some(c => c.codePointAt(0) >= first && c.codePointAt(0) <= last);
  });
  const load = async at => {
    const answer = await fetch(at), blob = answer.ok && await answer.blob();
    if (!blob || blob.size > LARGEST_FONT) return;
    const reader = new FileReader();
    await new Promise((done, fail) => { reader.onload = done; reader.onerror = fail; reader.readAsDataURL(blob); });
    return { data: reader.result, bytes: await blob.arrayBuffer() };
  };
  // A page in a folder may not read files: diagrams have the font of the system there.
  const faces = location.protocol === "file:" ? [] : [...document.styleSheets].flatMap(s => { try { return [...s.cssRules]; } catch { return []; } }).filter(r => r instanceof CSSFontFaceRule).map(r => {
    const of = name => r.style.getPropertyValue(name);
    return { family: of("font-family").replaceAll('"', ""), weight: of("font-weight"), range: of("unicode-range"), at: /url\("?([^")]+)/.exec(of("src"))?.[1] };
  }).filter(f => f.at && family.startsWith(f.family + ",") && !/^[56789]00$/.test(f.weight));
  const facesOf = text => faces.filter(f => within(f.range, text)).slice(0, 4);
  const fonts = async text => (await Promise.all(facesOf(text).map(async f => {
    if (!files.has(f.at)) files.set(f.at, load(new URL(f.at, document.baseURI)).catch(() => {}));
    return { ...f, ...await files.get(f.at) };
  }))).filter(f => f.data);

  const show = async (pre, { text, failed }) => {
    const after = pre.nextElementSibling?.matches(".diagram-problem") ? pre.nextElementSibling : null;
    pre.querySelector("img")?.remove();
    pre.classList.toggle("drawn", !failed);
    if (failed) {
      const problem = after ?? make("p", { className: "diagram-problem" });
      problem.textContent = `${say("noDiagram")} ${text.split("\n")[0]}`;
      problem.title = text;
      return pre.after(problem);
    }
    after?.remove();
    const css = (await fonts(text)).map(f => `@font-face{font-family:${f.family};font-weight:${f.weight};src:url(${f.data})${f.range ? ";unicode-range:" + f.range : ""}}`).join("");
    const title = /<title[^>]*>([^<]+)</.exec(text), [, wide, high] = /viewBox="[-\d.]+ [-\d.]+ ([\d.]+) ([\d.]+)"/.exec(text)?.map(Math.ceil) ?? [];
    const svg = text.replace(/<svg[^>]*>/, tag => `${wide ? tag.replace(' width="100%"', ` width="${wide}" height="${high}"`) : tag}<style>${css}</style>`);
    const image = make("img", { src: "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg), alt: title ? title[1] : pre.textContent.trim().slice(0, 1000) });
    if (wide) {
      image.width = wide;
      image.height = high;
      image.style.minWidth = `${Math.min(image.width, Math.max(280, Math.round(image.width * .68)))}px`; // smaller, nobody could read it
    }
    pre.querySelector("img")?.remove();
    pre.append(image);
    enlarges(image);
  };

  // The frame is asked one at a time what is not kept. Answers to what was asked before the colours
  // were changed are kept too.
  const wanted = new Map(), asked = new Map();
  let ready, count = 0;
  const begin = () => ready ??= new Promise(done => {
    addEventListener("message", async e => {
      if (e.source !== frame.contentWindow) return;
      if (e.data.ready) {
        // The page loads the library for the frame, so that it is in the cache of the site.
        const code = location.protocol === "file:" ? "" : await fetch(new URL(library, frame.src)).then(a => a.ok ? a.text() : "").catch(() => "");
        frame.contentWindow.postMessage({ code, fonts: (await fonts(sources.map(s => s.textContent).join(""))).map(({ family, weight, range, bytes }) => ({ family, weight, range, bytes })) }, "*");
        return done();
      }
      const { id, svg, error } = e.data, from = asked.get(id);
      if (!from || typeof (svg ?? error) !== "string") return;
      asked.delete(id);
      const drawn = { text: svg ?? error, failed: svg === undefined };
      kept.put(from, drawn.text, drawn.failed);
      sources.forEach(pre => wanted.get(pre) === from && show(pre, drawn));
    });
    document.body.append(frame);
  });
  const ask = async pre => {
    const from = wanted.get(pre);
    near.unobserve(pre);
    await begin();
    if ([...asked.values()].includes(from)) return;
    asked.set(++count, from);
    const [, source, by] = JSON.parse(from);
    frame.contentWindow.postMessage({ id: count, source, ...by }, "*");
  };
  // The library is large: a diagram is drawn when it comes near, or is printed.
  const near = new IntersectionObserver(seen => seen.forEach(e => e.isIntersecting && ask(e.target)), { rootMargin: "800px" });
  const missing = new Set();
  const draw = () => {
    const by = look();
    sources.forEach(async pre => {
      const source = pre.querySelector("code").textContent, from = JSON.stringify([drawer, source, by, facesOf(source).map(f => f.at)]);
      wanted.set(pre, from);
      const found = await kept.get(from);
      if (wanted.get(pre) !== from) return;
      if (found) return show(pre, found);
      missing.add(pre);
      near.observe(pre);
    });
  };
  sources.forEach(pre => ifWide(pre, wide => { if (wide) pre.tabIndex = 0; else pre.removeAttribute("tabindex"); }));
  new MutationObserver(draw).observe(root, { attributeFilter: ["data-shown"] });
  addEventListener("beforeprint", () => missing.forEach(pre => pre.classList.contains("drawn") || ask(pre)));
  draw();
}
