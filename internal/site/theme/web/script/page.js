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

// An announcement that a reader closes stays closed, see early.js.
const news = document.querySelector(".announcement button");
if (news) {
  news.hidden = false;
  news.addEventListener("click", () => {
    memory.set("closed", root.dataset.announcement);
    root.dataset.closed = "";
    document.querySelector(".bar .name").focus();
  });
}

// What is closed is printed too, also by browsers that cannot be told so by the style sheet.
let closed = [];
addEventListener("beforeprint", () => {
  closed = all("main details:not([open], .drop)");
  for (const d of closed) d.open = true;
});
addEventListener("afterprint", () => { for (const d of closed) d.open = false; });

// What a reader thinks of the page is sent without leaving it.
const feedback = document.querySelector(".feedback");
feedback?.addEventListener("submit", async e => {
  e.preventDefault();
  const answer = await fetch(feedback.action, { method: "POST", body: new URLSearchParams({ rating: e.submitter.value }), redirect: "manual" }).catch(() => ({}));
  if (answer.type !== "opaqueredirect" && !answer.ok) return feedback.submit();
  feedback.replaceChildren(make("p", { role: "status", tabIndex: -1, textContent: say("thanks") }));
  feedback.firstChild.focus();
});

for (const image of all("article figure:not(.file, .embed) img, article .images img")) {
  if (!image.closest("a, .card")) enlarges(image);
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
