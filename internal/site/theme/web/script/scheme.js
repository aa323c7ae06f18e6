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
