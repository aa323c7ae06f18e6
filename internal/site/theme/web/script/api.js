// Servers of APIs that readers choose: samples are for them. Values that could end a literal are not written into code.
for (const form of all(".api-choose")) {
  const block = form.closest(".openapi"), { sample, from } = form.dataset, servers = form.elements.server, after = sample.slice(from.length).split("{")[0];
  let shown = from;
  const chosen = () => {
    const server = servers?.value ?? "0", fields = all(`fieldset[data-server="${server}"]`, form)[0];
    for (const part of all("fieldset[data-server]", form)) part.hidden = part !== fields;
    return (fields ?? servers.selectedOptions[0]).dataset.url.replace(/\{([^{}]*)\}/g, (whole, name) => {
      const field = form.elements[`server.${server}.${name}`];
      return field ? field.value || field.defaultValue : whole;
    });
  };
  form.addEventListener("input", () => {
    const next = chosen();
    if (!/^https?:\/\/[\w.~:/%+-]+$/.test(next)) return;
    for (const code of all(".api-request code", block)) {
      const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replaceAll(shown + after, next + after);
    }
    for (const name of all(".api-address .api-server", block)) name.textContent = next;
    shown = next;
  });
  form.addEventListener("submit", e => e.preventDefault());
  form.hidden = false;
  chosen();
}

// Requests of APIs that readers try. The server sends them, and returns the answer as data.
for (const box of all(".api-try")) {
  const form = box.querySelector("form"), answer = box.querySelector(".api-answer"), button = form.querySelector("button");
  box.hidden = false;
  const pretty = text => { try { if (text.length > 65536) return text; return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; } };
  const show = ({ error, status, time, headers, body, binary, truncated }) => {
    if (error) return answer.replaceChildren(make("p", { className: "api-error", textContent: error }));
    answer.replaceChildren(
      make("p", {}, make("span", { className: `api-status api-status-${String(status)[0]}`, textContent: status }), ` ${time} ms`),
      make("pre", { tabIndex: 0 }, make("code", { textContent: binary ? "…" : pretty(body) + (truncated ? "\n…" : "") })),
      make("details", {}, make("summary", { textContent: say("headers") }), make("pre", { tabIndex: 0 }, make("code", { textContent: headers.map(h => h.join(": ")).join("\n") }))));
  };
  const choose = box.closest(".openapi").querySelector(".api-choose");
  form.addEventListener("submit", async e => {
    e.preventDefault();
    const inputs = {}, { server = "0", body = "", ...values } = Object.fromEntries([...(choose ? new FormData(choose) : []), ...new FormData(form)]);
    for (const [key, value] of Object.entries(values)) if (value !== "") inputs[key] = value;
    button.disabled = true;
    try {
      const sent = await fetch(form.action, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ ...form.dataset, server: Number(server), inputs, body }) });
      show(await sent.json());
    } catch { show({ error: say("noAnswer") }); }
    button.disabled = false;
  });
}
