// The navigation remembers which branches are open and where it was scrolled to. On a small
// screen it is a drawer, and nothing behind it can be reached while it is open.
const pages = document.getElementById("~pages");
if (pages) {
  const open = memory.get("open", {}), nameOf = d => d.parentElement.firstElementChild.pathname;
  for (const d of all("li > details", pages)) {
    const key = nameOf(d);
    if (key in open && !d.querySelector("[aria-current]")) d.open = open[key];
  }
  pages.addEventListener("toggle", e => { // does not bubble
    const key = e.target.matches("li > details") && nameOf(e.target);
    if (!key || open[key] === e.target.open) return;
    open[key] = e.target.open;
    memory.set("open", Object.fromEntries(Object.entries(open).slice(-200)));
  }, true);

  const current = pages.querySelector("[aria-current=page]"), small = matchMedia("(max-width: 860px)");
  const reveal = () => { // scrollIntoView would scroll the page too
    if (!current) return;
    const list = pages.getBoundingClientRect(), at = current.getBoundingClientRect();
    if (at.bottom > Math.min(list.bottom, innerHeight) || at.top < list.top) pages.scrollTop += at.top - list.top - list.height / 3;
  };
  const which = pages.querySelector("li > a")?.href; // another section has another list
  requestAnimationFrame(() => { // the layout is asked for once, after all changes
    if (small.matches) return;
    const [list, top] = visit.get("place", []);
    if (list === which) pages.scrollTop = top;
    reveal();
  });
  addEventListener("pagehide", () => visit.set("place", [which, pages.scrollTop]));

  const opener = document.querySelector(".menu-open"), closer = pages.querySelector(".menu-close");
  const isOpen = () => pages.classList.contains("open");
  const drawer = is => {
    if (is === isOpen()) return;
    pages.classList.toggle("open", is);
    root.classList.toggle("still", is);
    for (const e of [...document.body.children, ...pages.parentElement.children]) {
      if (!e.contains(pages) && !e.matches(".scrim, script, dialog")) e.inert = is;
    }
    opener.setAttribute("aria-expanded", is);
    if (is) reveal();
    (is ? closer : opener).focus();
  };
  opener.setAttribute("role", "button");
  opener.setAttribute("aria-expanded", "false");
  opener.setAttribute("aria-controls", pages.id);
  opener.addEventListener("click", e => { e.preventDefault(); drawer(true); });
  opener.addEventListener("keydown", e => { if (e.key === " ") { e.preventDefault(); drawer(true); } });
  for (const e of [closer, pages.nextElementSibling]) {
    e.addEventListener("click", e => { if (isOpen()) { e.preventDefault(); drawer(false); } }); // without the script, it is a target
  }
  pages.addEventListener("click", e => { if (e.target.closest("a[href*='#']:not(.menu-close)")?.pathname === location.pathname) drawer(false); });
  addEventListener("keydown", e => { if (e.key === "Escape") drawer(false); });
  small.addEventListener("change", () => drawer(false));
  addEventListener("pageshow", e => { if (e.persisted) drawer(false); }); // the way back leads to the page, not to its menu
}

// The tab of the section is in sight.
const tab = document.querySelector(".sections :is([aria-current], .current)");
if (tab) requestAnimationFrame(() => {
  const row = tab.closest(".sections"), of = row.getBoundingClientRect(), at = tab.getBoundingClientRect();
  if (at.left < of.left + 16 || at.right > of.right - 16) row.scrollLeft += at.left - of.left - (of.width - at.width) / 2;
});

// A menu closes when somebody looks elsewhere.
const menus = () => all("details.drop[open]");
addEventListener("click", e => menus().forEach(m => { if (!m.contains(e.target)) m.open = false; }));
addEventListener("keydown", e => { if (e.key === "Escape") menus().forEach(m => { m.open = false; m.firstElementChild.focus(); }); });

// The outline follows the reader.
const outline = document.querySelector(".outline");
if (outline) {
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
  const soon = () => { if (!waiting) { waiting = true; requestAnimationFrame(follow); } };
  addEventListener("scroll", soon, { passive: true });
  requestAnimationFrame(() => {
    if (getComputedStyle(outline).position === "sticky") outline.querySelector("details").open = true; // which the style sheet shows already
    soon();
  });
}

// Pages are fetched when a reader is about to follow a link to them. The server counts a page when
// it is read: one that was fetched before is asked for again, which costs nothing that is seen.
if ("ahead" in document.body.dataset) {
  if (HTMLScriptElement.supports?.("speculationrules")) document.head.append(make("script", { type: "speculationrules", textContent: rules }));
  if (performance.getEntriesByType("navigation")[0]?.deliveryType === "navigational-prefetch") fetch(location.href, { priority: "low" }).catch(() => {});
}
