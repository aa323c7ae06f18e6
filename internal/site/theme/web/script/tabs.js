// Tabs. Those with the same title are chosen together, and stay chosen, but for examples of responses: who looks at
// an error of one operation does not ask for the errors of all.
// A long row of tabs scrolls, without the page.
const reveal = button => {
  const list = button.parentElement, row = list.getBoundingClientRect(), tab = button.getBoundingClientRect();
  list.scrollLeft += Math.max(0, tab.right - row.right + 32) || Math.min(0, tab.left - row.left - 32);
};
const groups = all(".tabs").map(box => ({ box, alone: box.matches(".api-answers"), panels: [...box.children].filter(c => c.classList.contains("tab")) }));
const choose = (group, index, focus) => {
  group.buttons.forEach((b, i) => {
    b.setAttribute("aria-selected", i === index);
    b.tabIndex = i === index ? 0 : -1;
    group.panels[i].hidden = i !== index;
    if (focus && i === index) b.focus();
  });
  if (index > 0 || focus) reveal(group.buttons[index]);
};
const chooseAll = title => groups.forEach(g => {
  if (g.alone) return;
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
      if (!group.alone) chooseAll(button.dataset.title);
      choose(group, i, focus);
      scrollBy({ top: button.getBoundingClientRect().top - top, behavior: "instant" });
      if (!group.alone) memory.set("tab", [button.dataset.title, ...memory.get("tab", []).filter(t => t !== button.dataset.title)].slice(0, 20));
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
