// Code: copy it, wrap what is long, and open what is high.
const turn = "M3 5h18v2H3zM3 17h6v2H3zM3 11h14.500a3.500 3.500 0 0 1 0 7H16v2.500L11.500 17l4.500-3.500V16h1.500a1.500 1.500 0 0 0 0-3H3z";
// What somebody types: without prompts, and without the output if there are prompts.
const typed = pre => {
  const session = pre.querySelector(".gp") !== null;
  return all(".line", pre).filter(l => !session || l.textContent.trim() && !l.querySelector(".go"))
    .map(l => [...all(".gp", l)].reduce((text, sign) => text.replace(sign.textContent, ""), l.textContent)).join("\n");
};
for (const box of all(".code")) {
  const pre = box.querySelector("pre"), lines = pre.firstElementChild.childElementCount;
  const tools = make("div", { className: lines < 3 ? "code-tools short" : "code-tools" });
  const wrap = make("button", { type: "button", title: say("wrap"), "aria-label": say("wrap"), "aria-pressed": "false", hidden: true }, icon("0 0 24 24", turn));
  wrap.addEventListener("click", () => wrap.setAttribute("aria-pressed", pre.classList.toggle("wrap")));
  tools.append(wrap);
  if (!pre.classList.contains("wrap")) ifWide(pre, wide => { wrap.hidden = !wide && !pre.classList.contains("wrap"); });
  if (navigator.clipboard) {
    const copy = make("button", { type: "button", className: "copy", title: say("copy"), "aria-label": say("copy") }, icon("0 0 448 512", sheets));
    copy.addEventListener("click", () => copied(copy, typed(pre)));
    tools.append(copy);
  }
  box.append(tools);
  if (box.classList.contains("collapsible")) {
    const shown = Number(pre.dataset.collapsedLines) || 12;
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

// Formulas and tables that are wider than their place are scrolled by keyboard too.
for (const formula of all(".math")) ifWide(formula, wide => { if (wide) formula.tabIndex = 0; else formula.removeAttribute("tabindex"); });
