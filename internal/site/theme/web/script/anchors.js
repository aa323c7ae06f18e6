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

// On a long page, parts get their real height when they come into sight: the way to a heading is
// corrected at its end.
if (document.querySelector(".frame.long")) {
  const arrive = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target && Math.abs(target.getBoundingClientRect().top - parseFloat(getComputedStyle(root).scrollPaddingTop)) > 8) target.scrollIntoView({ behavior: "instant" });
  };
  addEventListener("hashchange", () => addEventListener("scrollend", arrive, { once: true }));
}

jump();
