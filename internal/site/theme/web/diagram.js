"use strict";
// Draws diagrams for the page that has this document in a frame. The frame is a
// sandbox: it has no origin, so whatever is in a diagram can reach nothing.
(() => {
  const { library } = document.currentScript.dataset;
  const run = src => new Promise((done, fail) => document.head.append(Object.assign(document.createElement("script"), { src, onload: done, onerror: fail })));
  // The page sends the code of the library, which it has in its cache. Without it, it is loaded.
  const start = async ({ code, fonts }) => {
    await Promise.all((fonts || []).map(async f => {
      try { document.fonts.add(await new FontFace(f.family, f.bytes, { weight: f.weight || "400", unicodeRange: f.range || "U+0-10FFFF" }).load()); } catch { /* another font */ }
    }));
    if (code) await run(URL.createObjectURL(new Blob([code], { type: "text/javascript" }))).catch(() => {});
    if (!window.mermaid) await run(library);
  };
  // A hue of code, as the background of text.
  const pale = (color, paper) => {
    const [a, b] = [color, paper].map(c => c.match(/[\d.]+/g).map(Number));
    return `rgb(${[0, 1, 2].map(i => Math.round(b[i] + (a[i] - b[i]) * .24)).join(",")})`;
  };
  // Parts that a diagram tells apart by colour only: slices, branches, topics, tasks.
  const palette = ({ colors, hues }) => {
    const variables = {
      pieStrokeColor: colors.paper, pieStrokeWidth: "2px", pieOuterStrokeWidth: "0px", pieOpacity: "1", pieTitleTextSize: "18px", pieSectionTextSize: "15px", pieLegendTextSize: "15px",
      taskBkgColor: pale(hues[0], colors.paper), taskBorderColor: hues[0], activeTaskBkgColor: pale(hues[1], colors.paper), activeTaskBorderColor: hues[1],
      doneTaskBkgColor: colors.shade, doneTaskBorderColor: colors.line, critBkgColor: pale(colors.danger, colors.paper), critBorderColor: colors.danger, todayLineColor: colors.danger,
      taskTextColor: colors.ink, taskTextDarkColor: colors.ink, taskTextLightColor: colors.ink, taskTextOutsideColor: colors.ink, gridColor: colors.line, sectionBkgColor: colors.shade, sectionBkgColor2: colors.shade, altSectionBkgColor: colors.paper,
      xyChart: { plotColorPalette: hues.join(","), backgroundColor: colors.paper },
    };
    for (let i = 0; i < 12; i++) {
      const hue = hues[i % hues.length];
      Object.assign(variables, { ["pie" + (i + 1)]: pale(hue, colors.paper), ["cScale" + i]: pale(hue, colors.paper), ["cScaleLabel" + i]: colors.ink, ["cScalePeer" + i]: hue, ["cScaleInv" + i]: hue, ["git" + i]: hue, ["gitBranchLabel" + i]: colors.paper });
    }
    return variables;
  };
  // Mends what the library leaves: names of states beside the middle, dates of an axis over each
  // other, and signs that are HTML and no XML.
  const mend = svg => {
    const box = document.createElement("div");
    box.innerHTML = svg;
    document.body.append(box);
    for (const label of box.querySelectorAll(".statediagram-state > .label")) {
      const text = label.querySelector("text"), left = /translate\((-[\d.]+)/.exec(label.getAttribute("transform"));
      if (text && left) text.setAttribute("transform", `translate(${-left[1] - text.getBBox().width / 2},0)`);
    }
    let end = -Infinity;
    for (const text of box.querySelectorAll(".grid .tick text")) {
      const { left, right } = text.getBoundingClientRect();
      if (left < end + 6) text.remove(); else end = right;
    }
    const out = new XMLSerializer().serializeToString(box.firstElementChild);
    box.remove();
    return out;
  };
  const draw = async ({ id, source, colors, hues, dark, font, width }) => {
    mermaid.initialize({
      startOnLoad: false, suppressErrorRendering: true, securityLevel: "strict", theme: "base", look: "classic", htmlLabels: false, flowchart: { htmlLabels: false }, fontFamily: font, maxTextSize: 50000,
      gantt: { useWidth: width, fontSize: 13, sectionFontSize: 13 },
      themeCSS: `.grid .tick line { stroke: ${colors.line}; } .grid .tick text { fill: ${colors.soft}; font-size: 12px; } .grid .domain { stroke: none; }`,
      themeVariables: {
        ...palette({ colors, hues }),
        darkMode: dark, background: colors.paper, primaryColor: colors.shade, primaryTextColor: colors.ink, primaryBorderColor: colors.line, secondaryColor: colors.raised,
        tertiaryColor: colors.paper, lineColor: colors.soft, textColor: colors.ink, noteBkgColor: colors.shade, noteTextColor: colors.ink, noteBorderColor: colors.line, fontSize: "15px", fontFamily: font,
      },
    });
    return mend((await mermaid.render("diagram-" + id, source)).svg);
  };
  let turn = Promise.resolve(), started;
  addEventListener("message", e => {
    if (e.source !== parent || !e.data) return;
    if (typeof e.data.source !== "string") {
      started ??= start(e.data);
      return;
    }
    const { id } = e.data;
    turn = turn.then(async () => {
      try {
        await started;
        parent.postMessage({ id, svg: await draw(e.data) }, "*");
      } catch (error) {
        parent.postMessage({ id, error: String(error.message || error).slice(0, 500) }, "*");
      }
    });
  });
  parent.postMessage({ ready: true }, "*");
})();
