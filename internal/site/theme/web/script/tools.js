// Every page is complete without this script. It adds what only a script can do:
// search while somebody types, tabs, copying, and what a reader has chosen before.

const root = document.documentElement;
const all = (selector, from = document) => [...from.querySelectorAll(selector)];
const make = (name, properties = {}, ...children) => {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) key in e ? (e[key] = value) : e.setAttribute(key, value);
  e.append(...children);
  return e;
};
const icon = (box, path) => {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), line = document.createElementNS(svg.namespaceURI, "path");
  svg.setAttribute("class", "icon");
  svg.setAttribute("viewBox", box);
  svg.setAttribute("aria-hidden", "true");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
};
const words = JSON.parse(document.body.dataset.words || "{}");
const say = name => words[name] || name;

// What a reader has chosen is kept in the browser, if the browser keeps anything.
const memory = {
  get(key, otherwise) { try { return JSON.parse(localStorage.getItem("octavo:" + key)) ?? otherwise; } catch { return otherwise; } },
  set(key, value) { try { localStorage.setItem("octavo:" + key, JSON.stringify(value)); } catch { /* not kept */ } },
};

// What is only of this visit, in this window.
const visit = {
  get(key, otherwise) { try { return JSON.parse(sessionStorage.getItem("octavo:" + key)) ?? otherwise; } catch { return otherwise; } },
  set(key, value) { try { sessionStorage.setItem("octavo:" + key, JSON.stringify(value)); } catch { /* not kept */ } },
};

// Calls a function with whether an element is wider than its place, and again when that changes.
const wides = new WeakMap(), sizes = new ResizeObserver(list => list.map(({ target }) => [target, target.scrollWidth > target.clientWidth + 1]).forEach(([target, wide]) => wides.get(target)(wide)));
const ifWide = (element, then) => { wides.set(element, then); sizes.observe(element); };

// Pictures are enlarged by a click, or by Enter. Those that are drawn have at least their own size.
const cross = "M55.100 73.400c-12.500-12.500-32.800-12.500-45.300 0s-12.500 32.800 0 45.300L147.200 256 9.900 393.400c-12.500 12.500-12.500 32.800 0 45.300s32.800 12.500 45.300 0L192.500 301.300 329.900 438.600c12.500 12.500 32.800 12.500 45.300 0s12.500-32.800 0-45.300L237.800 256 375.100 118.600c12.500-12.500 12.500-32.800 0-45.300s-32.800-12.500-45.300 0L192.500 210.700 55.100 73.400z";
const enlarge = image => {
  const large = make("img", { src: image.currentSrc || image.src, alt: image.alt });
  const dark = image.closest("picture")?.querySelector("source"), files = (dark && matchMedia(dark.media).matches ? dark : image).srcset;
  if (files.includes(" ")) Object.assign(large, { sizes: "100vw", srcset: files }); // not the file for the column
  const close = make("button", { type: "button", className: "zoom-close", "aria-label": say("close") }, icon("0 0 384 512", cross));
  const box = make("dialog", { className: "zoom", "aria-label": image.alt || say("zoom") }, large, close);
  if (image.src.startsWith("data:image/svg+xml")) {
    const [width, height] = ["width", "height"].map(name => image.getAttribute(name));
    box.classList.add("natural");
    large.width = Math.round(width * Math.max(1, Math.min((innerWidth - 48) / width, (innerHeight - 48) / height)));
  }
  box.addEventListener("click", () => box.close());
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
};
const enlarges = image => {
  image.classList.add("zoomable");
  image.tabIndex = 0;
  image.setAttribute("role", "button");
  if (!image.alt) image.setAttribute("aria-label", say("zoom"));
  image.addEventListener("click", () => enlarge(image));
  image.addEventListener("keydown", e => {
    if (e.key !== "Enter" && e.key !== " ") return;
    e.preventDefault();
    enlarge(image);
  });
};

// Copying to the clipboard.
const sheets = "M384 336H192c-8.800 0-16-7.200-16-16V64c0-8.800 7.200-16 16-16l140.100 0L400 115.900V320c0 8.800-7.200 16-16 16zM192 384H384c35.300 0 64-28.700 64-64V115.900c0-12.700-5.100-24.900-14.100-33.900L366.100 14.100c-9-9-21.200-14.100-33.900-14.100H192c-35.300 0-64 28.700-64 64V320c0 35.300 28.700 64 64 64zM64 128c-35.300 0-64 28.700-64 64V448c0 35.300 28.700 64 64 64H256c35.300 0 64-28.700 64-64V416H272v32c0 8.800-7.200 16-16 16H64c-8.800 0-16-7.200-16-16V192c0-8.800 7.200-16 16-16H96V128H64z";
const tick = "M438.600 105.400c12.500 12.500 12.500 32.800 0 45.300l-256 256c-12.500 12.500-32.800 12.500-45.300 0l-128-128c-12.500-12.500-12.500-32.800 0-45.300s32.800-12.500 45.300 0L160 338.700 393.400 105.400c12.500-12.500 32.800-12.500 45.300 0z";
const copied = (button, text) => navigator.clipboard.writeText(text).then(() => {
  const before = [...button.childNodes];
  button.replaceChildren(icon("0 0 448 512", tick));
  button.classList.add("done");
  button.setAttribute("aria-label", say("copied"));
  setTimeout(() => { button.replaceChildren(...before); button.classList.remove("done"); button.setAttribute("aria-label", say("copy")); }, 1600);
});
