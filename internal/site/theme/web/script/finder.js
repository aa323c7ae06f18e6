// The finder.
const input = document.getElementById("~search");
if (input && input.dataset.live && HTMLDialogElement) {
  const form = input.form, key = form.querySelector("kbd");
  form.classList.add("ready");
  key.hidden = false;
  if (/Mac|iPhone|iPad/.test(navigator.platform)) key.textContent = "⌘K";
  const field = make("input", { type: "search", name: "q", maxLength: 200, placeholder: input.placeholder, autocomplete: "off", spellcheck: false, role: "combobox", "aria-label": input.placeholder, "aria-expanded": "false", "aria-controls": "~found", "aria-autocomplete": "list" });
  const list = make("ul", { id: "~found", role: "listbox", "aria-label": input.placeholder }), status = make("p", { className: "status", role: "status" });
  // Where to search: in all sections, or in the one that is shown.
  const section = input.dataset.section;
  const scopes = section ? [make("div", { className: "scopes", role: "group", "aria-label": say("sections") },
    ...[say("everywhere"), section].map((title, i) => make("button", { type: "button", textContent: title, "aria-pressed": String(i === 0) })))] : [];
  const choices = scopes.flatMap(s => [...s.children]), oneSection = () => choices[1]?.getAttribute("aria-pressed") === "true";
  const finder = make("dialog", { className: "finder", "aria-label": input.placeholder }, make("form", { className: "field", action: form.action, method: "get" }, form.querySelector(".icon").cloneNode(true), field), ...scopes, list, status);
  document.body.append(finder);
  let asked = 0, timer = 0, chosen = -1;
  const options = () => all("[role=option]", list);
  const select = index => {
    const o = options();
    chosen = o.length ? (index + o.length) % o.length : -1;
    o.forEach((e, i) => e.setAttribute("aria-selected", i === chosen));
    field.toggleAttribute("aria-activedescendant", false);
    if (chosen >= 0) { field.setAttribute("aria-activedescendant", o[chosen].id); o[chosen].scrollIntoView({ block: "nearest" }); }
  };
  const marked = (text, query) => {
    const terms = query.toLowerCase().split(/\s+/).filter(t => t.length > 1).map(t => t.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    if (!terms.length) return [text];
    return text.split(new RegExp(`(${terms.join("|")})`, "gi")).map((part, i) => i % 2 ? make("mark", { textContent: part }) : part);
  };
  const option = (i, href, ...children) => make("li", { role: "option", id: "~found-" + i, "aria-selected": "false" }, make("a", { href, tabIndex: -1 }, ...children));
  const recent = () => memory.get("searches", []);
  const render = (hits, query) => {
    list.replaceChildren(...hits.map((h, i) => option(i, h.href, ...(h.where ? [make("small", { textContent: h.where })] : []), make("strong", {}, ...marked(h.title, query)), ...(h.text ? [make("p", {}, ...marked(h.text, query))] : []))));
    list.dataset.query = query;
    status.textContent = hits.length ? "" : query ? `${say("noResults")} “${query}”` : "";
    field.setAttribute("aria-expanded", hits.length > 0);
    list.scrollTop = 0;
    select(0);
  };
  const offer = () => {
    const words = recent();
    list.replaceChildren(...(words.length ? [make("li", { className: "group", role: "presentation", textContent: say("recent") })] : []), ...words.map((w, i) => option(i, form.action + "?q=" + encodeURIComponent(w), make("strong", { textContent: w }))));
    all("a", list).forEach(a => a.addEventListener("click", e => { e.preventDefault(); field.value = a.textContent; search(); field.focus(); }));
    status.textContent = "";
    select(-1);
    chosen = -1;
  };
  const ask = async query => {
    const answer = await fetch(input.dataset.live + "?q=" + encodeURIComponent(query) + (oneSection() ? "&in=section" : ""));
    return answer.ok && answer.json();
  };
  const search = async () => {
    const turn = ++asked, query = field.value.trim();
    if (!query) return offer();
    const hits = globalThis.octavoFind ? await octavoFind(query, oneSection()) : await ask(query);
    if (hits && turn === asked) render(hits, query);
  };
  const remember = () => {
    const query = field.value.trim();
    if (query) memory.set("searches", [query, ...recent().filter(w => w !== query)].slice(0, 5));
  };
  const open = (query = "") => {
    if (!finder.open) finder.showModal();
    field.value = query;
    search();
    field.focus();
  };
  for (const c of choices) c.addEventListener("click", () => { choices.forEach(o => o.setAttribute("aria-pressed", o === c)); search(); field.focus(); });
  input.addEventListener("click", () => open(input.value));
  input.addEventListener("keydown", e => { if (e.key === "Enter" && !e.isComposing) { e.preventDefault(); open(input.value); } });
  field.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(search, 80); });
  list.addEventListener("click", e => { if (e.target.closest("a")) { remember(); if (new URL(e.target.closest("a").href).pathname === location.pathname) finder.close(); } });
  finder.addEventListener("click", e => { if (e.target === finder) finder.close(); });
  finder.addEventListener("keydown", e => {
    if (e.key === "ArrowDown") { e.preventDefault(); select(chosen + 1); }
    if (e.key === "ArrowUp") { e.preventDefault(); select(chosen < 0 ? -1 : chosen - 1); }
    if (e.key === "Enter" && chosen >= 0) { e.preventDefault(); options()[chosen].firstElementChild.click(); }
    if (e.key === "Enter") remember();
  });
  addEventListener("keydown", e => {
    const active = document.activeElement;
    // A dialog that was just closed has the focus until the next frame.
    const typing = !active.closest("dialog:not([open])") && (/^(INPUT|TEXTAREA|SELECT)$/.test(active.tagName) || active.isContentEditable);
    if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "k" || e.key === "/" && !typing) { e.preventDefault(); open(); }
  });
  for (const b of all("button[data-action=search], button[data-action=ask]")) b.addEventListener("click", () => open(b.dataset.query || ""));
  if (globalThis.octavoFind && new URLSearchParams(location.search).has("q")) open(new URLSearchParams(location.search).get("q"));
}
