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
