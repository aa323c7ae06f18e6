// What other web sites show in a page.
const playSign = "M73 39c-14.8-9.1-33.4-9.4-48.5-.9S0 62.6 0 80V432c0 17.4 9.4 33.4 24.5 41.900s33.7 8.1 48.5-.9L361 297c14.3-8.7 23-24.200 23-41s-8.7-32.200-23-41L73 39z";
const frameSign = "M64 32C28.7 32 0 60.7 0 96V416c0 35.3 28.7 64 64 64H448c35.3 0 64-28.7 64-64V96c0-35.3-28.7-64-64-64H64zM96 96H416c17.7 0 32 14.3 32 32s-14.3 32-32 32H96c-17.7 0-32-14.3-32-32s14.3-32 32-32z";

// Videos and sandboxes of other web sites: nothing is loaded from there before the reader asks for it.
for (const box of all("figure.embed[data-player]")) {
  const { player, host, video } = box.dataset;
  const name = box.querySelector("figcaption")?.textContent.trim() || box.querySelector("a")?.href || host;
  const [sign, words] = video === undefined ? [icon("0 0 512 512", frameSign), say("openHere")] : [icon("0 0 384 512", playSign), say("play")];
  const button = make("button", { type: "button", className: "player" }, sign, make("strong", { textContent: words }), make("small", { textContent: say("loads").replace("%s", host.replace(/^www\./, "")) }));
  button.setAttribute("aria-description", name);
  button.addEventListener("click", () => {
    const address = new URL(player);
    if (video !== undefined) address.searchParams.set("autoplay", "1");
    const frame = make("iframe", { className: "player", title: name, src: address.href, allow: "autoplay; fullscreen; encrypted-media; picture-in-picture", referrerPolicy: "strict-origin" });
    // The content has its own origin there, and the page none of its powers: it cannot lead away from here.
    frame.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox allow-presentation");
    button.replaceWith(frame);
    frame.focus();
  });
  box.prepend(button);
}
