// Code: copy it, and open what is long.
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
