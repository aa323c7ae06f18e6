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

jump();
