// What a reader has chosen, before anything is shown: the colour scheme, and that an
// announcement is closed. This is the text of an element: no comments behind code.
try {
const root = document.documentElement, chosen = name => JSON.parse(localStorage.getItem("octavo:" + name));
const scheme = chosen("scheme");
if ("switch" in root.dataset && scheme === "system") delete root.dataset.scheme;
if ("switch" in root.dataset && (scheme === "light" || scheme === "dark")) root.dataset.scheme = scheme;
if (chosen("closed") === root.dataset.announcement) root.dataset.closed = "";
} catch {}
