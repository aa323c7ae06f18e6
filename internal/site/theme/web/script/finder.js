// The finder: a dialog that searches while somebody types. The button in the header is that of a
// form, which leads to the page of results without this script.
const form = document.querySelector(".search[data-live]");
if (form && globalThis.HTMLDialogElement) {
  const MOST_RECENT = 5, MOST_KEPT = 30, PAUSE = 80, QUIET = 500;
  const button = form.querySelector("button"), title = button.querySelector("span").textContent;
  const mac = /Mac|iPhone|iPad/.test(navigator.platform), key = form.querySelector("kbd");
  key.hidden = false;
  if (mac) key.textContent = "⌘K";
  button.setAttribute("aria-haspopup", "dialog");
  button.setAttribute("aria-keyshortcuts", mac ? "Meta+K" : "Control+K");

  const sheet = ["0 0 24 24", "M4 1h11l6 6v16H4zM6 3v18h13V8h-5V3z"], cross = ["0 0 24 24", "M3 5 5 3l7 7 7-7 2 2-7 7 7 7-2 2-7-7-7 7-2-2 7-7z"];
  const sign = hit => {
    if (hit.heading) return make("span", { className: "hash", "aria-hidden": "true", textContent: "#" });
    if (hit.emoji) return make("span", { className: "emoji", textContent: hit.emoji });
    return icon(...(hit.icon ? [hit.icon.box, hit.icon.path] : sheet));
  };
  const plain = parts => parts.join("");
  const marked = parts => parts.map((part, i) => i % 2 ? make("mark", { textContent: part }) : part);
  const path = hit => [hit.where, hit.heading && plain(hit.title)].filter(Boolean).join(" › ");
  const method = hit => hit.method ? [" ", make("span", { className: `api-method api-${hit.method.toLowerCase()}`, textContent: hit.method })] : [];

  // Answers are kept while the page is open. What is asked later is shown later, or instead.
  const kept = new Map();
  let underway;
  const ask = async (query, one) => {
    const about = `${one} ${query}`;
    if (kept.has(about)) return kept.get(about);
    underway?.abort();
    underway = new AbortController();
    const answer = globalThis.octavoFind ? await octavoFind(query, one) : await fetch(`${form.dataset.live}?q=${encodeURIComponent(query)}${one ? "&in=section" : ""}`, { signal: underway.signal }).then(a => {
      if (!a.ok) throw new Error(a.status);
      return a.json();
    });
    if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value);
    kept.set(about, answer);
    return answer;
  };

  // Pages that were opened from here on this site are offered again.
  const opened = "opened:" + (document.querySelector(".name")?.pathname || "/");
  const recent = () => [memory.get(opened, [])].flat().filter(h => Array.isArray(h?.title) && typeof h.href === "string").slice(0, MOST_RECENT);
  const remember = hit => {
    const href = new URL(hit.href, document.baseURI).href;
    const { emoji, icon, method, where } = hit, bare = { title: [plain(hit.title)], emoji, icon, method, where, href };
    if (hit.heading) bare.heading = [plain(hit.heading)];
    memory.set(opened, [bare, ...recent().filter(h => h.href !== href)].slice(0, MOST_RECENT));
  };

  const build = () => {
    const field = make("input", { type: "search", name: "q", maxLength: 200, placeholder: title, autocomplete: "off", spellcheck: false, autocapitalize: "none", enterKeyHint: "go", role: "combobox", "aria-label": title, "aria-expanded": "false", "aria-controls": "~hits", "aria-autocomplete": "list" });
    const closer = make("button", { type: "button", className: "closer", "aria-label": say("close") }, icon(...cross));
    const list = make("div", { id: "~hits", role: "listbox", tabIndex: -1, "aria-label": title });
    const none = make("div", { className: "none", hidden: true }), status = make("p", { className: "visually-hidden", role: "status" });
    // Where to search: in all sections, or in the one that is shown.
    const section = form.dataset.section;
    const choices = section ? [say("everywhere"), section].map((text, i) => make("button", { type: "button", textContent: text, "aria-pressed": String(i === 0) })) : [];
    const narrow = make("input", { type: "hidden", name: "in", value: "section", disabled: true }); // for the page of results
    const scopes = section ? [make("div", { className: "scopes", role: "group", "aria-label": say("sections") }, ...choices)] : [];
    const keys = make("p", { className: "keys", "aria-hidden": "true" }, ...[["↑", "↓", say("choose")], ["↵", say("open")], ["Esc", say("close")]].map(k => make("span", {}, ...k.map((text, i) => i < k.length - 1 ? make("kbd", { textContent: text }) : text))));
    const finder = make("dialog", { className: "finder", "aria-label": title }, make("form", { className: "field", action: form.action, role: "search" }, form.querySelector(".icon").cloneNode(true), field, narrow, closer), ...scopes, none, list, keys, status);
    document.body.append(finder);

    let turn = 0, timer = 0, speaking = 0, chosen = -1, shown = null, asking = null, impatient = false, hitOf = new Map();
    const options = () => all("[role=option]", list), one = () => choices[1]?.getAttribute("aria-pressed") === "true";
    const select = (index, still) => {
      const o = options();
      chosen = o.length && index >= 0 ? index % o.length : -1;
      o.forEach((e, i) => e.setAttribute("aria-selected", i === chosen));
      if (chosen < 0) return field.removeAttribute("aria-activedescendant");
      field.setAttribute("aria-activedescendant", o[chosen].id);
      if (!still) (chosen ? o[chosen] : list.firstElementChild).scrollIntoView({ block: "nearest" });
    };
    const option = hit => {
      const where = path(hit), o = make("a", { id: "~hit-" + hitOf.size, className: "hit", role: "option", tabIndex: -1, href: hit.href, "aria-selected": "false" }, sign(hit), make("span", {},
        make("strong", {}, ...marked(hit.heading || hit.title)), ...method(hit),
        ...(where ? [" ", make("small", { textContent: where })] : []), ...(hit.text?.length ? [" ", make("span", { className: "snippet" }, ...marked(hit.text))] : [])));
      hitOf.set(o, hit);
      return o;
    };
    const group = (name, hits) => hits.length ? [make("div", { role: "group", "aria-labelledby": `~${name}` }, make("div", { id: `~${name}`, className: "group", textContent: say(name) }), ...hits.map(option))] : [];
    const elsewhere = h => new URL(h.href, document.baseURI).pathname !== location.pathname;
    const tell = text => { clearTimeout(speaking); speaking = setTimeout(() => { status.textContent = text; }, QUIET); };
    const show = (query, { hits = [], suggested = [] } = {}) => {
      hitOf = new Map();
      const again = query ? [] : recent();
      list.replaceChildren(...hits.map(option), ...group("recent", again), ...group("suggested", suggested.filter(h => elsewhere(h) && !again.some(a => a.href === new URL(h.href, document.baseURI).href))));
      list.dataset.query = shown = query;
      const nothing = query && !hits.length;
      none.hidden = !nothing;
      if (nothing) {
        none.replaceChildren(make("p", {}, say("noResults") + " ", make("strong", { textContent: query })), make("p", { textContent: say("advice") }));
        if (one()) none.append(make("button", { type: "button", className: "button secondary", textContent: say("everywhere"), onclick: () => choices[0].click() }));
      }
      ready(options().length);
      list.scrollTop = 0;
      select(hits.length ? 0 : -1);
      tell(nothing ? `${say("noResults")} ${query}. ${say("advice")}` : query ? say("count").replace("%s", hits.length) : "");
    };
    const ready = some => { list.hidden = !some; field.setAttribute("aria-expanded", some > 0); };
    const fail = query => {
      show(query);
      none.hidden = false;
      none.replaceChildren(make("p", { textContent: say("failed") }));
      tell(say("failed"));
      shown = null; // asked again by the next key, or when the network is back
    };
    const search = async () => {
      const mine = ++turn, query = field.value.trim();
      clearTimeout(timer);
      if (!query && !kept.has(`${one()} `)) show("");
      finder.classList.add("busy");
      asking = query;
      try {
        const answer = await ask(query, one());
        if (mine !== turn) return;
        show(query, answer);
        if (impatient && answer.hits.length) options()[0].click();
      } catch {
        if (mine !== turn) return;
        if (query) fail(query);
      }
      impatient = false;
      asking = null;
      finder.classList.remove("busy");
    };
    const leave = () => {
      finder.close();
      // Without anything that had the focus before, it goes to what opens the dialog.
      if (document.activeElement === document.body || finder.contains(document.activeElement)) button.focus({ preventScroll: true });
    };

    for (const c of choices) c.addEventListener("click", () => { choices.forEach(o => o.setAttribute("aria-pressed", o === c)); narrow.disabled = !one(); search(); field.focus(); });
    field.addEventListener("input", () => { impatient = false; clearTimeout(timer); timer = setTimeout(search, PAUSE); });
    field.addEventListener("keydown", e => {
      if (e.isComposing || e.keyCode === 229) return; // the key is for the input method
      const query = field.value.trim(), count = options().length;
      if (e.key === "ArrowDown" && count) { e.preventDefault(); select(chosen + 1); }
      if (e.key === "ArrowUp" && count) { e.preventDefault(); select(chosen > 0 ? chosen - 1 : count - 1); }
      if (e.key !== "Enter") return;
      if (query !== shown || shown === null) { // before there is an answer
        e.preventDefault();
        if (asking !== query) search();
        impatient = true;
      }
      else if (chosen >= 0) { e.preventDefault(); (e.ctrlKey || e.metaKey ? window.open(options()[chosen].href, "_blank", "noopener") : options()[chosen].click()); }
      else if (!query) e.preventDefault();
    });
    list.addEventListener("pointermove", e => { const o = e.target.closest("[role=option]"); if (o && o.getAttribute("aria-selected") !== "true") select(options().indexOf(o), true); });
    list.addEventListener("click", e => {
      const o = e.target.closest("[role=option]");
      if (!o) return;
      remember(hitOf.get(o));
      if (!elsewhere(o) && !e.ctrlKey && !e.metaKey) finder.close(); // before the page moves to the heading
    });
    closer.addEventListener("click", leave);
    finder.addEventListener("click", e => { if (e.target === finder) leave(); });
    finder.addEventListener("keydown", e => { if (e.key === "Escape" && !e.isComposing) { e.preventDefault(); e.stopPropagation(); leave(); } });
    finder.addEventListener("close", () => {
      turn++; // what is underway comes too late
      asking = null;
      finder.classList.remove("busy");
      root.classList.remove("finding");
    });
    addEventListener("online", () => { if (finder.open && shown === null) search(); });
    addEventListener("pageshow", e => { if (e.persisted) finder.close(); });
    // On a phone, the dialog ends where the keyboard begins.
    globalThis.visualViewport?.addEventListener("resize", () => finder.style.setProperty("--seen", visualViewport.height * visualViewport.scale + "px"));
    finder.leave = leave;
    return query => {
      finder.showModal();
      root.classList.add("finding");
      impatient = false;
      field.value = query;
      search();
      field.focus();
      field.select();
    };
  };

  let start;
  const finder = () => document.querySelector(".finder[open]");
  const open = (query = "") => { if (!finder()) (start ||= build())(query); };
  form.addEventListener("submit", e => { e.preventDefault(); open(); });
  addEventListener("keydown", e => {
    const active = document.activeElement;
    // A dialog that was just closed has the focus until the next frame.
    const typing = !active.closest("dialog:not([open])") && (/^(INPUT|TEXTAREA|SELECT)$/.test(active.tagName) || active.isContentEditable);
    const isK = e.key.toLowerCase() === "k" || e.code === "KeyK" && e.key > "\x7f"; // on a keyboard of another script
    const combined = (e.ctrlKey || e.metaKey) && !e.altKey && isK;
    if (!combined && (e.key !== "/" || typing || e.ctrlKey || e.metaKey || e.altKey)) return;
    e.preventDefault();
    if (combined && finder()) finder().leave();
    else open();
  });
  for (const b of all("button[data-action=search], button[data-action=ask]")) b.addEventListener("click", () => open(b.dataset.query || ""));

  // Without a server, the page of results is filled here, as its template fills it.
  const results = document.querySelector(".searched"), asked = new URLSearchParams(location.search);
  const query = asked.get("q")?.trim();
  if (globalThis.octavoFind && results && query) {
    const entry = hit => make("li", { className: "hit" }, sign(hit), make("div", {}, make("a", { href: hit.href }, ...marked(hit.heading || hit.title)), ...method(hit),
      ...(path(hit) ? [" ", make("small", { textContent: path(hit) })] : []), ...(hit.text?.length ? [make("p", {}, ...marked(hit.text))] : [])));
    const entries = hits => make("ol", { className: "results" }, ...hits.map(entry));
    results.querySelector("input[name=q]").value = query;
    ask(query.slice(0, 200), asked.get("in") === "section").then(({ hits, suggested = [] }) => document.getElementById("~found").replaceChildren(
      make("p", { role: "status" }, say(hits.length ? "results" : "noResults") + " ", make("strong", { textContent: query })),
      ...(hits.length ? [entries(hits)] : [make("p", { textContent: say("advice") })]),
      ...(suggested.length ? [make("h2", { textContent: say("suggested") }), entries(suggested)] : []),
    )).catch(() => { document.getElementById("~found").replaceChildren(make("p", { role: "status", textContent: say("failed") })); });
  }
}
