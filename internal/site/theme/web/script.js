"use strict";
// Every page is complete without this script. It adds what only a script can do:
// search while somebody types, tabs, copying, and what a reader has chosen before.
(() => {
  const root = document.documentElement;
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const make = (name, properties = {}, ...children) => {
    const e = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) key in e ? (e[key] = value) : e.setAttribute(key, value);
    e.append(...children);
    return e;
  };
  const icon = (box, path) => {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), line = document.createElementNS(svg.namespaceURI, "path");
    svg.setAttribute("class", "icon");
    svg.setAttribute("viewBox", box);
    svg.setAttribute("aria-hidden", "true");
    line.setAttribute("d", path);
    svg.append(line);
    return svg;
  };
  const words = JSON.parse(document.body.dataset.words || "{}");
  const say = name => words[name] || name;

  // What a reader has chosen is kept in the browser, if the browser keeps anything.
  const memory = {
    get(key, otherwise) { try { return JSON.parse(localStorage.getItem("octavo:" + key)) ?? otherwise; } catch { return otherwise; } },
    set(key, value) { try { localStorage.setItem("octavo:" + key, JSON.stringify(value)); } catch { /* not kept */ } },
  };

  // Light or dark. A picture with a dark form follows the choice, not the system.
  const dark = matchMedia("(prefers-color-scheme: dark)"), sun = document.querySelector(".scheme");
  const show = () => {
    const is = (root.dataset.scheme || (dark.matches ? "dark" : "light")) === "dark";
    root.dataset.shown = is ? "dark" : "light";
    for (const s of all("source[data-dark]")) {
      s.media = root.dataset.scheme ? (is ? "all" : "not all") : "(prefers-color-scheme: dark)";
    }
  };
  if (sun) {
    const chosen = memory.get("scheme");
    if (chosen === "light" || chosen === "dark") root.dataset.scheme = chosen;
    sun.hidden = false;
    sun.addEventListener("click", () => {
      root.dataset.scheme = root.dataset.shown === "dark" ? "light" : "dark";
      memory.set("scheme", root.dataset.scheme);
      show();
      dispatchEvent(new Event("octavo:scheme"));
    });
  }
  dark.addEventListener("change", show);
  show();

  // Anchors that differ from those of headings in case or escapes only, and those
  // inside of what is closed.
  const jump = () => {
    const name = location.hash.slice(1);
    if (!name) return;
    let plain = name;
    try { plain = decodeURIComponent(name); } catch { /* as it is */ }
    const target = document.getElementById(name) || document.getElementById(plain) || document.getElementById(plain.toLowerCase());
    if (!target) return;
    for (let e = target; e; e = e.parentElement) {
      if (e.localName === "details") e.open = true;
      if (e.classList.contains("tab")) e.dispatchEvent(new Event("octavo:show"));
    }
    if (!document.getElementById(name) || target.closest("details, .tab")) target.scrollIntoView();
  };
  addEventListener("hashchange", jump);

  // The navigation remembers which branches are open, and is a drawer on a phone.
  const pages = document.getElementById("~pages");
  if (pages) {
    const open = memory.get("open", {});
    for (const d of all("details", pages)) {
      const key = d.parentElement.firstElementChild.pathname;
      if (key in open && !d.querySelector("[aria-current]")) d.open = open[key];
      d.addEventListener("toggle", () => { open[key] = d.open; memory.set("open", Object.fromEntries(Object.entries(open).slice(-200))); });
    }
    const current = pages.querySelector("[aria-current]");
    const reveal = () => { // scrollIntoView would scroll the page too
      const list = pages.getBoundingClientRect(), at = current?.getBoundingClientRect();
      if (at?.bottom > Math.min(list.bottom, innerHeight)) pages.scrollTop += at.top - list.top - list.height / 3;
    };
    if (matchMedia("(min-width: 861px)").matches) reveal();
    const opener = document.querySelector(".menu-open"), drawer = is => {
      pages.classList.toggle("open", is);
      opener.setAttribute("aria-expanded", is);
      if (is) reveal();
      (is ? pages.querySelector(".menu-close") : opener).focus();
    };
    opener.setAttribute("role", "button");
    opener.setAttribute("aria-expanded", "false");
    opener.addEventListener("click", e => { e.preventDefault(); drawer(true); });
    pages.querySelector(".menu-close").addEventListener("click", e => { e.preventDefault(); drawer(false); });
    addEventListener("keydown", e => { if (e.key === "Escape" && pages.classList.contains("open")) drawer(false); });
    addEventListener("pointerdown", e => { if (pages.classList.contains("open") && !pages.contains(e.target)) drawer(false); });
  }

  // A menu closes when somebody looks elsewhere.
  const menus = () => all("details.drop[open]");
  addEventListener("click", e => menus().forEach(m => { if (!m.contains(e.target)) m.open = false; }));
  addEventListener("keydown", e => { if (e.key === "Escape") menus().forEach(m => { m.open = false; m.firstElementChild.focus(); }); });

  // The outline follows the reader.
  const outline = document.querySelector(".outline");
  if (outline) {
    if (getComputedStyle(outline).position === "sticky") outline.querySelector("details").open = true; // which the style sheet shows already
    const links = all("a", outline), parts = links.map(a => document.getElementById(decodeURIComponent(a.hash.slice(1)))).filter(Boolean);
    let waiting = false;
    const follow = () => {
      waiting = false;
      const line = parseFloat(getComputedStyle(root).scrollPaddingTop) + 8;
      const seen = parts.filter(p => p.getClientRects().length); // not those of other tabs
      let at = seen.findLast(p => p.getBoundingClientRect().top <= line);
      if (scrollY + innerHeight >= root.scrollHeight - 4) at = seen.findLast(p => p.getBoundingClientRect().top < innerHeight) || at;
      links.forEach(a => a.toggleAttribute("aria-current", false));
      const link = at && links.find(a => decodeURIComponent(a.hash.slice(1)) === at.id);
      if (link) link.setAttribute("aria-current", "location");
    };
    addEventListener("scroll", () => { if (!waiting) { waiting = true; requestAnimationFrame(follow); } }, { passive: true });
    follow();
  }

  // Tabs. Those with the same title are chosen together, and stay chosen.
  const groups = all(".tabs").map(box => ({ box, panels: [...box.children].filter(c => c.classList.contains("tab")) }));
  const choose = (group, index, focus) => group.buttons.forEach((b, i) => {
    b.setAttribute("aria-selected", i === index);
    b.tabIndex = i === index ? 0 : -1;
    group.panels[i].hidden = i !== index;
    if (focus && i === index) b.focus();
  });
  const chooseAll = title => groups.forEach(g => {
    const i = g.buttons.findIndex(b => b.dataset.title === title);
    if (i >= 0) choose(g, i);
  });
  const changed = panel => panel.matches("[class*=diff-]") || panel.querySelector("ins, del, [class*=diff-]");
  groups.forEach((group, n) => {
    const list = make("div", { className: "tablist", role: "tablist" });
    group.buttons = group.panels.map((panel, i) => {
      panel.id ||= `tab-${n}-${i}`;
      panel.setAttribute("role", "tabpanel");
      const title = panel.querySelector(".tab-title");
      const button = make("button", { type: "button", role: "tab", id: `tab~${n}-${i}`, "aria-controls": panel.id }, ...[...title.childNodes].map(c => c.cloneNode(true)));
      button.dataset.title = title.textContent;
      if (changed(panel)) button.append(make("span", { className: "sign sign-edited diff-mark", textContent: "~" }));
      panel.removeAttribute("aria-label");
      panel.setAttribute("aria-labelledby", button.id);
      const pick = focus => {
        const top = button.getBoundingClientRect().top;
        chooseAll(button.dataset.title);
        choose(group, i, focus);
        scrollBy({ top: button.getBoundingClientRect().top - top, behavior: "instant" });
        memory.set("tab", [button.dataset.title, ...memory.get("tab", []).filter(t => t !== button.dataset.title)].slice(0, 20));
      };
      button.addEventListener("click", () => pick());
      button.addEventListener("keydown", e => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key] * (root.dir === "rtl" ? -1 : 1);
        const to = e.key === "Home" ? 0 : e.key === "End" ? group.buttons.length - 1 : (i + step + group.buttons.length) % group.buttons.length;
        if (Number.isNaN(to)) return;
        e.preventDefault();
        group.buttons[to].click();
        group.buttons[to].focus();
      });
      panel.addEventListener("octavo:show", () => choose(group, i));
      return button;
    });
    list.append(...group.buttons);
    group.box.prepend(list);
    group.box.classList.add("ready");
    choose(group, 0);
  });
  memory.get("tab", []).slice().reverse().forEach(chooseAll);
  groups.forEach(g => { const i = g.panels.findIndex(changed); if (i >= 0) choose(g, i); });
  for (const s of all("[role=switch]")) s.addEventListener("keydown", e => { if (e.key === " ") { e.preventDefault(); s.click(); } });

  // Code: copy it, and open what is long.
  const sheets = "M384 336H192c-8.800 0-16-7.200-16-16V64c0-8.800 7.200-16 16-16l140.100 0L400 115.900V320c0 8.800-7.200 16-16 16zM192 384H384c35.300 0 64-28.700 64-64V115.900c0-12.700-5.100-24.900-14.100-33.900L366.100 14.100c-9-9-21.200-14.100-33.900-14.100H192c-35.300 0-64 28.700-64 64V320c0 35.300 28.700 64 64 64zM64 128c-35.300 0-64 28.700-64 64V448c0 35.300 28.700 64 64 64H256c35.300 0 64-28.700 64-64V416H272v32c0 8.800-7.200 16-16 16H64c-8.800 0-16-7.200-16-16V192c0-8.800 7.200-16 16-16H96V128H64z";
  const tick = "M438.600 105.400c12.500 12.500 12.500 32.800 0 45.300l-256 256c-12.500 12.500-32.800 12.500-45.300 0l-128-128c-12.500-12.500-12.500-32.800 0-45.300s32.800-12.500 45.300 0L160 338.700 393.400 105.400c12.500-12.500 32.800-12.500 45.300 0z";
  const copied = (button, text) => navigator.clipboard.writeText(text).then(() => {
    const before = [...button.childNodes];
    button.replaceChildren(icon("0 0 448 512", tick));
    button.classList.add("done");
    button.setAttribute("aria-label", say("copied"));
    setTimeout(() => { button.replaceChildren(...before); button.classList.remove("done"); button.setAttribute("aria-label", say("copy")); }, 1600);
  });
  for (const box of all(".code")) {
    const pre = box.querySelector("pre");
    const button = make("button", { type: "button", className: "copy", title: say("copy"), "aria-label": say("copy") }, icon("0 0 448 512", sheets));
    button.addEventListener("click", () => copied(button, all(".line", pre).map(l => l.textContent).join("\n")));
    if (navigator.clipboard) box.append(button);
    if (box.classList.contains("collapsible")) {
      const lines = all(".line", pre).length, shown = Number(pre.dataset.collapsedLines) || 12;
      if (lines <= shown + 2) continue;
      box.classList.add("closed");
      pre.style.setProperty("--shown", shown);
      const more = make("button", { type: "button", className: "expand", "aria-expanded": "false", textContent: say("more") });
      more.addEventListener("click", () => {
        const closed = box.classList.toggle("closed");
        more.textContent = say(closed ? "more" : "less");
        more.setAttribute("aria-expanded", !closed);
      });
      box.append(more);
    }
  }

  // The page as Markdown, to paste it somewhere.
  const actions = document.querySelector(".actions > ul"), source = document.querySelector("link[type='text/markdown']");
  if (actions && source && navigator.clipboard && location.protocol !== "file:") {
    const button = make("button", { type: "button" }, icon("0 0 448 512", sheets), say("copyPage"));
    button.addEventListener("click", async () => {
      const answer = await fetch(source.href);
      if (answer.ok) await navigator.clipboard.writeText(await answer.text());
      button.closest("details").open = false;
    });
    actions.prepend(make("li", {}, button));
  }

  // What a reader thinks of the page is sent without leaving it.
  const feedback = document.querySelector(".feedback");
  feedback?.addEventListener("submit", async e => {
    e.preventDefault();
    const answer = await fetch(feedback.action, { method: "POST", body: new URLSearchParams({ rating: e.submitter.value }), redirect: "manual" }).catch(() => ({}));
    if (answer.type !== "opaqueredirect" && !answer.ok) return feedback.submit();
    feedback.replaceChildren(make("p", { role: "status", tabIndex: -1, textContent: say("thanks") }));
    feedback.firstChild.focus();
  });

  // Pictures are enlarged.
  for (const image of all("article figure:not(.file, .embed) img, article .images img")) {
    if (image.closest("a, .card")) continue;
    image.classList.add("zoomable");
    image.addEventListener("click", () => {
      const box = make("dialog", { className: "zoom", "aria-label": image.alt || say("zoom") }, make("img", { src: image.currentSrc, alt: image.alt }));
      box.addEventListener("click", () => box.close());
      box.addEventListener("close", () => box.remove());
      document.body.append(box);
      box.showModal();
    });
  }

  // Annotations are shown beside the text.
  for (const ref of all("a.annotation")) {
    const note = document.getElementById(ref.hash.slice(1));
    if (!note || !HTMLElement.prototype.showPopover) continue;
    const box = make("div", { className: "popover", popover: "auto" }, ...[...note.childNodes].map(c => c.cloneNode(true)));
    ref.addEventListener("click", e => {
      e.preventDefault();
      document.body.append(box);
      box.showPopover();
      const at = ref.getBoundingClientRect(), left = Math.min(at.left, innerWidth - box.offsetWidth - 16);
      box.style.left = Math.max(16, left) + scrollX + "px";
      box.style.top = at.bottom + scrollY + 8 + "px";
    });
  }

  // Diagrams are drawn in a frame that can reach nothing, and shown as pictures.
  const sources = all("pre.diagram"), drawer = document.body.dataset.diagrams;
  if (sources.length && drawer) {
    const frame = make("iframe", { src: drawer, title: say("diagrams"), tabIndex: -1, className: "visually-hidden", "aria-hidden": "true" });
    // In a folder a sandbox could not load its scripts; there every file is an origin of its own anyway.
    if (location.protocol !== "file:") frame.setAttribute("sandbox", "allow-scripts");
    const probe = make("span", { hidden: true });
    document.body.append(probe);
    const color = name => {
      probe.style.color = `var(--${name})`;
      return getComputedStyle(probe).color.replace(/^color\(srgb ([\d.]+) ([\d.]+) ([\d.]+).*/, (_, ...c) => `rgb(${c.slice(0, 3).map(v => Math.round(v * 255)).join(",")})`);
    };
    const draw = () => {
      if (!frame.contentWindow) return;
      const colors = Object.fromEntries(["paper", "shade", "raised", "ink", "soft"].map(n => [n, color(n)]));
      colors.line = color("strong-line");
      sources.forEach((pre, id) => frame.contentWindow.postMessage({ id, source: pre.textContent, colors, dark: root.dataset.shown === "dark", font: "system-ui, sans-serif" }, "*"));
    };
    addEventListener("message", e => {
      if (e.source !== frame.contentWindow) return;
      if (e.data.ready) return draw();
      const pre = sources[e.data.id], svg = e.data.svg;
      if (!pre || typeof svg !== "string") return;
      const box = /viewBox="[-\d.]+ [-\d.]+ ([\d.]+) ([\d.]+)"/.exec(svg);
      const image = make("img", { src: "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg), alt: pre.textContent.trim().slice(0, 1000) });
      if (box) { image.width = Math.ceil(box[1]); image.height = Math.ceil(box[2]); }
      pre.querySelector("img")?.remove();
      pre.append(image);
      pre.classList.add("drawn");
    });
    addEventListener("octavo:scheme", draw);
    // The library is large: it is loaded when a diagram comes near, or is printed.
    const load = () => { near.disconnect(); frame.isConnected || document.body.append(frame); };
    const near = new IntersectionObserver(seen => seen.some(e => e.isIntersecting) && load(), { rootMargin: "800px" });
    sources.forEach(pre => near.observe(pre));
    addEventListener("beforeprint", load);
  }

  // Servers of APIs that readers choose: samples are for them. Values that could end a literal are not written into code.
  for (const form of all(".api-choose")) {
    const block = form.closest(".openapi"), { sample, from } = form.dataset, servers = form.elements.server, after = sample.slice(from.length).split("{")[0];
    let shown = from;
    const chosen = () => {
      const server = servers?.value ?? "0", fields = all(`fieldset[data-server="${server}"]`, form)[0];
      for (const part of all("fieldset[data-server]", form)) part.hidden = part !== fields;
      return (fields ?? servers.selectedOptions[0]).dataset.url.replace(/\{([^{}]*)\}/g, (whole, name) => {
        const field = form.elements[`server.${server}.${name}`];
        return field ? field.value || field.defaultValue : whole;
      });
    };
    form.addEventListener("input", () => {
      const next = chosen();
      if (!/^https?:\/\/[\w.~:/%+-]+$/.test(next)) return;
      for (const code of all(".api-request code", block)) {
        const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replaceAll(shown + after, next + after);
      }
      for (const name of all(".api-address .api-server", block)) name.textContent = next;
      shown = next;
    });
    form.addEventListener("submit", e => e.preventDefault());
    form.hidden = false;
    chosen();
  }

  // Requests of APIs that readers try. The server sends them, and returns the answer as data.
  for (const box of all(".api-try")) {
    const form = box.querySelector("form"), answer = box.querySelector(".api-answer"), button = form.querySelector("button");
    box.hidden = false;
    const pretty = text => { try { if (text.length > 65536) return text; return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; } };
    const show = ({ error, status, time, headers, body, binary, truncated }) => {
      if (error) return answer.replaceChildren(make("p", { className: "api-error", textContent: error }));
      answer.replaceChildren(
        make("p", {}, make("span", { className: `api-status api-status-${String(status)[0]}`, textContent: status }), ` ${time} ms`),
        make("pre", { tabIndex: 0 }, make("code", { textContent: binary ? "…" : pretty(body) + (truncated ? "\n…" : "") })),
        make("details", {}, make("summary", { textContent: say("headers") }), make("pre", { tabIndex: 0 }, make("code", { textContent: headers.map(h => h.join(": ")).join("\n") }))));
    };
    const choose = box.closest(".openapi").querySelector(".api-choose");
    form.addEventListener("submit", async e => {
      e.preventDefault();
      const inputs = {}, { server = "0", body = "", ...values } = Object.fromEntries([...(choose ? new FormData(choose) : []), ...new FormData(form)]);
      for (const [key, value] of Object.entries(values)) if (value !== "") inputs[key] = value;
      button.disabled = true;
      try {
        const sent = await fetch(form.action, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ ...form.dataset, server: Number(server), inputs, body }) });
        show(await sent.json());
      } catch { show({ error: say("noAnswer") }); }
      button.disabled = false;
    });
  }

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
  jump();
})();
