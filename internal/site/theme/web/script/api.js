// Servers of APIs that readers choose, once for all operations of a page, and kept for other pages. Samples are for
// them. Values that could end a literal are not written into code.
const plainURL = /^https?:\/\/[\w.~:/%+-]+$/;
for (const form of all(".api-choose")) {
  const key = form.dataset.servers, servers = form.elements.server;
  const uses = all(`.api-samples[data-servers="${key}"]`).map(box => {
    const { sample, from } = box.dataset;
    return { box, shown: from, after: sample.slice(from.length).split("{")[0] };
  });
  const base = form.closest(".api-base"), line = base.querySelector("p"), list = base.querySelector(".api-servers");
  const fieldsOf = server => all(`fieldset[data-server="${server}"]`, form)[0];
  const chosen = () => {
    const server = servers?.value ?? "0", fields = fieldsOf(server);
    for (const part of all("fieldset[data-server]", form)) part.hidden = part !== fields;
    line.hidden = servers && !fields; // the list says the same
    return (fields ?? servers.selectedOptions[0]).dataset.url.replace(/\{([^{}]*)\}/g, (whole, name) => {
      const field = form.elements[`server.${server}.${name}`];
      return field ? field.value || field.defaultValue : whole;
    });
  };
  const update = () => {
    const next = chosen();
    if (!plainURL.test(next)) return;
    for (const use of uses) {
      for (const code of all(".api-request code", use.box)) {
        const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replaceAll(use.shown + use.after, next + use.after);
      }
      use.shown = next;
      const dialog = use.box.querySelector(".api-try");
      if (!dialog) continue;
      dialog.dataset.from = next;
      dialog.dispatchEvent(new Event("octavo:server"));
    }
    for (const name of [base, ...uses.map(u => u.box)].flatMap(e => all(".api-server", e))) name.textContent = next;
  };
  // What is kept is the address and the values by their names: a new version of the description may have other servers.
  const before = memory.get("servers", {});
  const restore = ({ url, values }) => {
    const option = servers && [...servers.options].find(o => o.dataset.url === url);
    if (servers && !option) return;
    if (servers) servers.value = option.value;
    for (const [name, value] of Object.entries(values)) {
      const field = form.elements[`server.${servers?.value ?? "0"}.${name}`];
      if (field && (!field.options || [...field.options].some(o => o.value === value))) field.value = value;
    }
    update();
  };
  form.addEventListener("input", () => {
    update();
    const server = servers?.value ?? "0", fields = all("input, select", fieldsOf(server) ?? make("div"));
    const kept = { url: (servers?.selectedOptions[0] ?? fieldsOf(server)).dataset.url, values: Object.fromEntries(fields.map(f => [f.name.replace(/^server\.\d+\./, ""), f.value])) };
    const others = Object.entries(memory.get("servers", {})).filter(([k]) => k !== key);
    memory.set("servers", Object.fromEntries([...others, [key, kept]].slice(-20)));
  });
  form.addEventListener("submit", e => e.preventDefault());
  if (!uses.length) continue;
  form.hidden = false;
  if (list) list.hidden = true;
  chosen();
  try { if (before[key]) restore(before[key]); } catch { /* not what we kept */ }
}

// Credentials that a reader has entered, until the tab is closed: never longer, and for nothing but the same
// server on the same site. See ADR 0045.
const credentials = {
  key: dialog => `octavo:credentials ${document.querySelector(".name")?.pathname} ${new URL(dialog.dataset.from).origin}`,
  get(dialog) { try { return JSON.parse(sessionStorage.getItem(this.key(dialog))) ?? {}; } catch { return {}; } },
  set(dialog, values) { try { sessionStorage.setItem(this.key(dialog), JSON.stringify(values)); } catch { /* not kept */ } },
};

// JSON on several lines, in the colours of code. Values stay as they are: numbers may be longer than those of a script.
const pretty = text => {
  if (text.length > 65536) return [text];
  try { JSON.parse(text); } catch { return [text]; }
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g), out = [];
  let depth = 0;
  const line = () => "\n" + "  ".repeat(Math.min(depth, 40));
  tokens.forEach((token, i) => {
    const kind = token[0];
    if (kind === "{" || kind === "[") {
      depth++;
      out.push(token, /[}\]]/.test(tokens[i + 1][0]) ? "" : line());
    } else if (kind === "}" || kind === "]") {
      depth--;
      out.push(/^[{[]$/.test(tokens[i - 1]) ? "" : line(), token);
    } else if (kind === ",") out.push(token, line());
    else if (kind === ":") out.push(": ");
    else out.push(make("span", { className: kind !== '"' ? /[a-z]/.test(kind) ? "kc" : "mi" : tokens[i + 1] === ":" ? "nt" : "s2", textContent: token }));
  });
  return out;
};

// Requests of APIs that readers try. The server sends them, and returns the answer as data.
for (const box of all(".api-try")) {
  const form = box.querySelector("form"), answer = box.querySelector(".api-answer"), status = answer.firstElementChild, submit = form.querySelector("[type=submit]");
  const samples = box.closest(".api-samples"), opener = samples.querySelector(".api-open");
  const choose = samples.dataset.servers && document.querySelector(`.api-choose[data-servers="${samples.dataset.servers}"]`);
  const secrets = all("[type=password]", form);
  const remembered = () => { const values = credentials.get(box); for (const field of secrets) if (field.name in values) field.value = values[field.name]; };
  for (const field of secrets) field.addEventListener("input", () => {
    const { [field.name]: gone, ...values } = credentials.get(box);
    credentials.set(box, field.value ? { ...values, [field.name]: field.value } : values);
  });
  box.addEventListener("octavo:server", () => { if (box.open) remembered(); });

  // The form for the server is one for the page: it is in the dialog while that is open.
  const close = make("button", { type: "button", className: "tool", "aria-label": say("close"), title: say("close") }, icon("0 0 24 24", "M6.700 5.300 12 10.600l5.300-5.300 1.400 1.400L13.400 12l5.300 5.300-1.400 1.400L12 13.400l-5.300 5.300-1.400-1.400L10.600 12 5.300 6.700z"));
  box.querySelector(".api-bar").append(close);
  close.addEventListener("click", () => box.close());
  box.addEventListener("click", e => { if (e.target === box) box.close(); });
  opener.hidden = false;
  let home;
  opener.addEventListener("click", () => {
    if (choose) { home = choose.parentElement; form.before(choose); }
    remembered();
    box.showModal();
    (all("input, textarea, select", form).find(f => f.required && !f.value) ?? submit).focus();
  });
  box.addEventListener("close", () => { if (choose) home?.append(choose); opener.focus(); });
  form.addEventListener("keydown", e => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); form.requestSubmit(); } });

  const code = (...content) => {
    const block = make("pre", { tabIndex: 0 }, make("code", {}, ...content)), button = make("button", { type: "button", className: "copy", title: say("copy"), "aria-label": say("copy") }, icon("0 0 448 512", sheets));
    button.addEventListener("click", () => copied(button, block.textContent));
    return make("div", { className: "code" }, block, ...(navigator.clipboard ? [make("div", { className: "code-tools" }, button)] : []));
  };
  const show = ({ error, status: is, time, headers, body, binary, truncated }) => {
    box.classList.add("answered");
    if (error) {
      status.replaceChildren(make("span", { className: "api-error", textContent: error }));
      return answer.replaceChildren(status);
    }
    status.replaceChildren(make("span", { className: `api-status api-status-${String(is)[0]}`, textContent: is }), `${time} ms`);
    answer.replaceChildren(status,
      ...(body || binary ? [code(...(binary ? ["…"] : truncated ? [body, "\n…"] : pretty(body)))] : []),
      make("details", {}, make("summary", { textContent: say("headers") }), make("pre", { tabIndex: 0 }, make("code", { textContent: headers.map(h => h.join(": ")).join("\n") }))));
  };
  form.addEventListener("submit", async e => {
    e.preventDefault();
    const inputs = {}, { server = "0", body = "", ...values } = Object.fromEntries([...(choose ? new FormData(choose) : []), ...new FormData(form)]);
    for (const [key, value] of Object.entries(values)) if (value !== "") inputs[key] = value;
    submit.disabled = true;
    try {
      const sent = await fetch(form.action, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ ...form.dataset, server: Number(server), inputs, body }) });
      show(await sent.json());
    } catch { show({ error: say("noAnswer") }); }
    submit.disabled = false;
    submit.focus();
    answer.scrollIntoView({ block: "nearest" });
  });
}
