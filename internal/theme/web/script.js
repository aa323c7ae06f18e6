"use strict";
(() => {
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

  // A menu closes when somebody looks elsewhere.
  const menus = () => document.querySelectorAll("details.drop[open]");
  addEventListener("click", e => menus().forEach(m => { if (!m.contains(e.target)) m.open = false; }));
  addEventListener("keydown", e => { if (e.key === "Escape") menus().forEach(m => { m.open = false; m.firstElementChild.focus(); }); });

  const input = document.getElementById("search"), list = document.getElementById("found");
  if (!input || !input.dataset.live) return;
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
    const answer = await fetch(input.dataset.live + "?q=" + encodeURIComponent(input.value.trim()));
    if (answer.ok && turn === asked) show(await answer.json());
  };
  input.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(search, 80); });
  input.addEventListener("keydown", e => {
    if (e.key === "Escape") { input.value = ""; show([]); }
    const first = list.querySelector("a");
    if (e.key === "Enter" && first) { e.preventDefault(); first.click(); }
    if (e.key === "ArrowDown" && first) { e.preventDefault(); first.focus(); }
  });
  addEventListener("keydown", e => {
    if (e.key === "/" && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) { e.preventDefault(); input.focus(); }
  });
})();
