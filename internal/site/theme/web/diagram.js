"use strict";
// Draws diagrams for the page that has this document in a frame. The frame is a
// sandbox: it has no origin, so whatever is in a diagram can reach nothing.
(() => {
  let turn = Promise.resolve();
  addEventListener("message", e => {
    const { id, source, colors, dark, font } = e.data || {};
    if (e.source !== parent || typeof source !== "string") return;
    turn = turn.then(async () => {
      try {
        mermaid.initialize({
          startOnLoad: false, securityLevel: "strict", theme: "base", look: "classic", htmlLabels: false, flowchart: { htmlLabels: false }, fontFamily: font, maxTextSize: 50000,
          themeVariables: {
            darkMode: dark, background: colors.paper, primaryColor: colors.shade, primaryTextColor: colors.ink, primaryBorderColor: colors.line, secondaryColor: colors.raised,
            tertiaryColor: colors.paper, lineColor: colors.soft, textColor: colors.ink, noteBkgColor: colors.shade, noteTextColor: colors.ink, noteBorderColor: colors.line, fontSize: "15px",
          },
        });
        const { svg } = await mermaid.render("diagram-" + id, source);
        parent.postMessage({ id, svg }, "*");
      } catch (error) {
        parent.postMessage({ id, error: String(error.message || error).slice(0, 500) }, "*");
      }
    });
  });
  parent.postMessage({ ready: true }, "*");
})();
