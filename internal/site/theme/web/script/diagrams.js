// Diagrams are drawn in a frame that can reach nothing, and shown as pictures.
const sources = all("pre.diagram"), drawer = document.body.dataset.diagrams;
if (sources.length && drawer) {
  const frame = make("iframe", { src: drawer, title: say("diagrams"), tabIndex: -1, className: "visually-hidden", "aria-hidden": "true" });
  // In a folder a sandbox could not load its scripts; there every file is an origin of its own anyway.
  if (location.protocol !== "file:") frame.setAttribute("sandbox", "allow-scripts");
  const probe = make("span", { hidden: true });
  document.body.append(probe);
  const color = name => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color.replace(/^color\(srgb ([\d.]+) ([\d.]+) ([\d.]+).*/, (_, ...c) => `rgb(${c.slice(0, 3).map(v => Math.round(v * 255)).join(",")})`);
  };
  const draw = () => {
    if (!frame.contentWindow) return;
    const colors = Object.fromEntries(["paper", "shade", "raised", "ink", "soft"].map(n => [n, color(n)]));
    colors.line = color("strong-line");
    sources.forEach((pre, id) => frame.contentWindow.postMessage({ id, source: pre.textContent, colors, dark: root.dataset.shown === "dark", font: "system-ui, sans-serif" }, "*"));
  };
  addEventListener("message", e => {
    if (e.source !== frame.contentWindow) return;
    if (e.data.ready) return draw();
    const pre = sources[e.data.id], svg = e.data.svg;
    if (!pre || typeof svg !== "string") return;
    const box = /viewBox="[-\d.]+ [-\d.]+ ([\d.]+) ([\d.]+)"/.exec(svg);
    const image = make("img", { src: "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg), alt: pre.textContent.trim().slice(0, 1000) });
    if (box) { image.width = Math.ceil(box[1]); image.height = Math.ceil(box[2]); }
    pre.querySelector("img")?.remove();
    pre.append(image);
    pre.classList.add("drawn");
  });
  addEventListener("octavo:scheme", draw);
  // The library is large: it is loaded when a diagram comes near, or is printed.
  const load = () => { near.disconnect(); frame.isConnected || document.body.append(frame); };
  const near = new IntersectionObserver(seen => seen.some(e => e.isIntersecting) && load(), { rootMargin: "800px" });
  sources.forEach(pre => near.observe(pre));
  addEventListener("beforeprint", load);
}
