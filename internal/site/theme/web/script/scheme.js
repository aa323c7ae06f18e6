// Light, dark, or as the system is. A picture with a dark form follows the choice, not the system.
const dark = matchMedia("(prefers-color-scheme: dark)"), schemes = document.querySelector(".scheme");
const show = () => {
  const is = (root.dataset.scheme || (dark.matches ? "dark" : "light")) === "dark";
  root.dataset.shown = is ? "dark" : "light";
  for (const s of all("source[data-dark]")) {
    s.media = root.dataset.scheme ? (is ? "all" : "not all") : "(prefers-color-scheme: dark)";
  }
};
const shown = () => { show(); dispatchEvent(new Event("octavo:scheme")); };
if (schemes) { // what was chosen before is in force already, see early.js
  const choices = all("button", schemes);
  const mark = () => {
    schemes.dataset.choice = root.dataset.scheme || "system";
    for (const c of choices) c.setAttribute("aria-pressed", c.value === schemes.dataset.choice);
  };
  for (const c of choices) c.addEventListener("click", () => {
    if (c.value === "system") delete root.dataset.scheme; else root.dataset.scheme = c.value;
    memory.set("scheme", c.value);
    mark();
    shown();
    schemes.open = false;
    schemes.firstElementChild.focus();
  });
  mark();
  schemes.hidden = false;
}
dark.addEventListener("change", shown);
show();
