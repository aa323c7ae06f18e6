"use strict";
(() => {
  const root = document.documentElement, file = root.dataset.file;

  // Load the page again when the folder has a new state. A tab that nobody
  // sees does not hold a connection: browsers allow only a few.
  let source = null;
  const listen = () => {
    if (source || document.hidden) return;
    source = new EventSource("/.octavo/events?file=" + encodeURIComponent(file));
    source.addEventListener("state", e => { if (e.data !== root.dataset.state) location.reload(); });
    source.addEventListener("report", async () => {
      const answer = await fetch("/.octavo/panel?file=" + encodeURIComponent(file));
      if (!answer.ok) return;
      const panel = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("panel");
      if (panel) document.getElementById("panel").replaceWith(panel);
    });
  };
  const leave = () => { if (source) { source.close(); source = null; } };
  document.addEventListener("visibilitychange", () => document.hidden ? leave() : listen());
  addEventListener("pagehide", leave);
  addEventListener("pageshow", listen);
  listen();

  // Anchors that differ from those of headings in case or escapes only.
  const jump = () => {
    const name = location.hash.slice(1);
    if (!name || document.getElementById(name)) return;
    let plain = name;
    try { plain = decodeURIComponent(name); } catch { /* as it is */ }
    const target = document.getElementById(plain) || document.getElementById(plain.toLowerCase());
    if (target) target.scrollIntoView();
  };
  addEventListener("hashchange", jump);
  jump();

  const current = document.querySelector("nav.pages [aria-current]");
  if (current) current.scrollIntoView({ block: "nearest" });

  const input = document.getElementById("search"), list = document.getElementById("found");
  let asked = 0, timer = 0;
  const show = hits => {
    list.replaceChildren(...hits.map(h => {
      const item = document.createElement("li"), link = document.createElement("a");
      link.href = h.href;
      link.textContent = h.title;
      if (h.where) {
        const where = document.createElement("small");
        where.textContent = h.where;
        link.append(" ", where);
      }
      item.append(link);
      return item;
    }));
    if (!hits.length && input.value.trim()) list.append(Object.assign(document.createElement("li"), { textContent: "Nothing found." }));
    list.hidden = !input.value.trim();
  };
  const search = async () => {
    const turn = ++asked;
    const answer = await fetch("/.octavo/search?q=" + encodeURIComponent(input.value.trim()));
    if (answer.ok && turn === asked) show(await answer.json());
  };
  input.hidden = false;
  input.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(search, 80); });
  input.addEventListener("keydown", e => {
    if (e.key === "Escape") { input.value = ""; show([]); }
    const first = list.querySelector("a");
    if (e.key === "Enter" && first) first.click();
  });
  addEventListener("keydown", e => {
    if (e.key === "/" && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) { e.preventDefault(); input.focus(); }
  });
})();
