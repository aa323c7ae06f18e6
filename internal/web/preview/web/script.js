(() => {
  const { state, file } = document.getElementById("preview").dataset;

  // Load the page again when the folder has a new state. A tab that nobody
  // sees does not hold a connection: browsers allow only a few.
  let source = null;
  const listen = () => {
    if (source || document.hidden) return;
    source = new EventSource("/.octavo/events?file=" + encodeURIComponent(file));
    source.addEventListener("state", e => { if (e.data !== state) location.reload(); });
    source.addEventListener("report", async () => {
      const answer = await fetch("/.octavo/panel?file=" + encodeURIComponent(file));
      if (!answer.ok) return;
      const panel = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("panel");
      if (panel) document.getElementById("panel").replaceWith(panel);
    });
  };
  const leave = () => { if (source) { source.close(); source = null; } };
  document.addEventListener("visibilitychange", () => document.hidden ? leave() : listen());
  addEventListener("pagehide", leave);
  addEventListener("pageshow", listen);
  listen();
})();
