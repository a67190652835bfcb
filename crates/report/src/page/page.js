// The page of one answer. Everything is made from the data in the page; nothing is loaded.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { record, lines, steps, invariants, graph } = data;
  const byId = (id) => document.getElementById(id);
  const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
  const element = (tag, attributes = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
      else made.setAttribute(name, value);
    }
    made.append(...children);
    return made;
  };
  const link = (line) => `<a class="line" data-line="${line}">line ${line}</a>`;

  // ---- light and dark ----
  const root = document.documentElement;
  const remembered = (value) => {
    try {
      if (value) localStorage.setItem("craig-theme", value);
      return localStorage.getItem("craig-theme");
    } catch {
      return null; // A page opened from a file may have no storage.
    }
  };
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const paint = () => { root.dataset.theme = remembered() || (dark.matches ? "dark" : "light"); };
  dark.addEventListener("change", paint);
  paint();
  const turn = () => {
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
    remembered(root.dataset.theme);
  };
  byId("theme").addEventListener("click", turn);

  // ---- head ----
  byId("verdict").textContent = record.verdict;
  byId("verdict").className = record.verdict;
  byId("file").textContent = record.file;
  const because = record.reason ? `${record.reason}; ` : "";
  byId("summary").textContent = `${because}${record.property}; ${record.engine} (${record.arith}); ${record.cpu_s} s of processor time, ${Math.round(record.max_rss_mb)} MB`;

  // ---- source ----
  const claims = new Map();
  for (const claim of invariants) {
    if (!claim.line) continue;
    if (!claims.has(claim.line)) claims.set(claim.line, []);
    const name = claim.procedure ? [`${claim.procedure}:`] : [];
    claims.get(claim.line).push(...name, ...claim.conditions);
  }
  const visited = new Set(steps.map((step) => step.line));
  const source = byId("source");
  source.innerHTML = lines.map((text, i) => {
    const line = i + 1;
    const said = claims.has(line) ? `<span class="claims">${escaped(claims.get(line).join("\n"))}</span>` : "";
    return `<div class="row${visited.has(line) ? " visited" : ""}"><span class="number">${line}</span><span class="code">${escaped(text) || " "}</span>${said}</div>`;
  }).join("");
  const rowOf = (line) => source.children[line - 1];
  const show = (line) => {
    const row = rowOf(line);
    if (!row) return;
    const { top, bottom } = row.getBoundingClientRect();
    const pane = source.getBoundingClientRect();
    if (top < pane.top + 40 || bottom > pane.bottom - 40) row.scrollIntoView({ block: "center" });
  };
  document.addEventListener("click", (event) => {
    const target = event.target.closest("a.line");
    if (target) show(Number(target.dataset.line));
  });

  // ---- search ----
  const search = byId("search");
  let hits = [];
  let hit = -1;
  const look = () => {
    hits.forEach((line) => rowOf(line).classList.remove("hit", "current"));
    const wanted = search.value.toLowerCase();
    hits = [];
    if (wanted) lines.forEach((text, i) => { if (text.toLowerCase().includes(wanted)) hits.push(i + 1); });
    hits.forEach((line) => rowOf(line).classList.add("hit"));
    hit = -1;
    byId("hits").textContent = wanted ? `${hits.length} lines` : "";
    if (hits.length) nextHit(1);
  };
  const nextHit = (by) => {
    if (!hits.length) return;
    if (hit >= 0) rowOf(hits[hit]).classList.remove("current");
    hit = (hit + by + hits.length) % hits.length;
    rowOf(hits[hit]).classList.add("current");
    byId("hits").textContent = `${hit + 1} of ${hits.length} lines`;
    show(hits[hit]);
  };
  search.addEventListener("input", look);
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") nextHit(event.shiftKey ? -1 : 1);
    if (event.key === "Escape") { search.value = ""; look(); search.blur(); }
  });

  // ---- the run ----
  let now = -1;
  const folded = new Set(); // Steps whose calls are not shown.
  /// The first step behind the calls that this step makes.
  const behind = (at) => {
    let next = at + 1;
    while (next < steps.length && steps[next].depth > steps[at].depth) next++;
    return next;
  };
  const calls = (at) => at + 1 < steps.length && steps[at + 1].depth > steps[at].depth;
  const hidden = () => {
    const set = new Set();
    for (const at of folded) for (let i = at + 1, end = behind(at); i < end; i++) set.add(i);
    return set;
  };
  /// All values that are known at a step, by open calls; each with whether this step changed it.
  const valuesAt = (at) => {
    const frames = [];
    for (let i = 0; i <= at; i++) {
      const step = steps[i];
      while (frames.length && frames[frames.length - 1].depth > step.depth) frames.pop();
      let frame = frames[frames.length - 1];
      if (!frame || frame.depth < step.depth || frame.name !== step.function) {
        if (frame && frame.depth === step.depth) frames.pop();
        frame = { depth: step.depth, name: step.function, values: new Map() };
        frames.push(frame);
      }
      const set = (values, text) => {
        const cut = text.indexOf(" = ");
        if (cut >= 0) values.set(text.slice(0, cut), { value: text.slice(cut + 3), changed: i === at });
        else if (i === at) values.set(text, { value: "", changed: true });
      };
      const given = step.arguments || [];
      step.values.filter((text) => !given.includes(text)).forEach((text) => set(frame.values, text));
      if (given.length) {
        // Parameters belong to the call that begins here.
        frame = { depth: step.depth + 1, name: calls(i) ? steps[i + 1].function : "", values: new Map() };
        given.forEach((text) => set(frame.values, text));
        frames.push(frame);
      }
    }
    return frames;
  };
  const drawSteps = () => {
    const list = byId("steps");
    if (!list) return;
    const without = hidden();
    list.innerHTML = steps.map((step, i) => {
      if (without.has(i)) return "";
      const fold = calls(i) ? (folded.has(i) ? "▸" : "▾") : "";
      const text = (step.text || (lines[step.line - 1] || "").trim());
      const left = data.left_out[0] && i === data.left_out[1] ? `<div class="faint">… ${data.left_out[0]} steps left out</div>` : "";
      return `${left}<div class="step" data-step="${i}"><span class="fold">${fold}</span><span class="number">${step.line}</span><span>${"  ".repeat(Math.min(step.depth, 30))}${escaped(text)}</span><span class="changed">${escaped(step.values.join(", "))}</span></div>`;
    }).join("");
    mark();
  };
  const mark = () => {
    document.querySelectorAll(".step.now, .row.now").forEach((e) => e.classList.remove("now"));
    document.querySelectorAll(".row .values").forEach((e) => e.remove());
    if (now < 0) return;
    const step = steps[now];
    const row = rowOf(step.line);
    if (row) {
      row.classList.add("now");
      if (step.values.length) row.append(element("span", { class: "values" }, step.values.join(", ")));
      show(step.line);
    }
    const entry = document.querySelector(`.step[data-step="${now}"]`);
    if (entry) { entry.classList.add("now"); entry.scrollIntoView({ block: "nearest" }); }
    const counter = byId("counter");
    if (counter) counter.textContent = `step ${now + 1} of ${steps.length}`;
    const table = byId("values");
    if (table) {
      table.innerHTML = "<table>" + valuesAt(now).reverse().map((frame) =>
        `<tr class="frame"><th colspan="2">${escaped(frame.name)}</th></tr>` + [...frame.values].map(([name, { value, changed }]) =>
          `<tr class="${changed ? "changed" : ""}"><td class="name">${escaped(name)}</td><td class="value">${escaped(value)}</td></tr>`).join("")).join("") + "</table>";
    }
    if (byId("drawing") && drawn && drawn.name !== step.function) follow(step.function);
    markWays();
  };
  const go = (to) => {
    if (!steps.length) return;
    const without = hidden();
    const by = to >= now ? 1 : -1;
    to = Math.max(0, Math.min(steps.length - 1, to));
    while (without.has(to) && to > 0 && to < steps.length - 1) to += by;
    now = to;
    mark();
  };
  const fold = (at) => {
    if (!calls(at)) return;
    folded.has(at) ? folded.delete(at) : folded.add(at);
    drawSteps();
  };

  // ---- graph ----
  const taken = new Map();
  for (const step of steps) for (const edge of step.edges) taken.set(edge, (taken.get(edge) || 0) + 1);
  let drawn = null;
  /// Nodes in layers: the longest way from the entry without what leads back.
  const layout = (procedure) => {
    const count = procedure.nodes.length;
    const out = Array.from({ length: count }, () => []);
    procedure.ways.forEach((way, i) => out[way.from].push(i));
    const entry = Math.max(0, procedure.nodes.findIndex((node) => node.kind === "entry"));
    const state = new Uint8Array(count);
    const back = new Set();
    const order = [];
    for (const start of [entry, ...procedure.nodes.keys()]) {
      if (state[start]) continue;
      const open = [[start, 0]];
      state[start] = 1;
      while (open.length) {
        const top = open[open.length - 1];
        const way = out[top[0]][top[1]++];
        if (way === undefined) { state[top[0]] = 2; order.push(top[0]); open.pop(); continue; }
        const to = procedure.ways[way].to;
        if (state[to] === 1) back.add(way);
        else if (!state[to]) { state[to] = 1; open.push([to, 0]); }
      }
    }
    order.reverse();
    const layer = new Int32Array(count);
    for (const node of order) for (const way of out[node]) {
      if (!back.has(way)) layer[procedure.ways[way].to] = Math.max(layer[procedure.ways[way].to], layer[node] + 1);
    }
    const last = Math.max(0, ...layer);
    procedure.nodes.forEach((node, i) => { if (node.kind === "error") layer[i] = Math.max(layer[i], last); });
    const rows = [];
    for (const node of order) (rows[layer[node]] ||= []).push(node);
    // Neighbours above decide the place in a row, then those below.
    const place = new Float64Array(count);
    const into = Array.from({ length: count }, () => []);
    procedure.ways.forEach((way, i) => { if (!back.has(i)) into[way.to].push(way.from); });
    const settle = (row, near) => {
      const wish = new Map(row.map((node) => {
        const of = near(node);
        return [node, of.length ? of.reduce((sum, n) => sum + place[n], 0) / of.length : place[node]];
      }));
      row.sort((a, b) => wish.get(a) - wish.get(b));
      row.forEach((node, i) => { place[node] = i - (row.length - 1) / 2; });
    };
    const dense = rows.filter(Boolean);
    dense.forEach((row) => row.forEach((node, i) => { place[node] = i - (row.length - 1) / 2; }));
    for (let round = 0; round < 4; round++) {
      dense.forEach((row) => settle(row, (node) => into[node]));
      [...dense].reverse().forEach((row) => settle(row, (node) => out[node].filter((w) => !back.has(w)).map((w) => procedure.ways[w].to)));
    }
    return { dense, place, back };
  };
  const draw = (procedure) => {
    drawn = procedure;
    document.querySelectorAll("#procedures div").forEach((e) => e.setAttribute("aria-selected", e.dataset.name === procedure.name));
    const { dense, place, back } = layout(procedure);
    const wide = Math.max(1, ...dense.map((row) => row.length));
    const [dx, dy] = [170, 78];
    const [width, height] = [wide * dx + 120, dense.length * dy + 40];
    const x = (node) => width / 2 + place[node] * dx;
    const y = new Map();
    dense.forEach((row, i) => row.forEach((node) => y.set(node, 30 + i * dy)));
    const label = (way) => {
      const texts = way.operations.slice(0, 2).map((text) => (text.length > 26 ? text.slice(0, 25) + "…" : text));
      if (way.operations.length > 2) texts.push(`… ${way.operations.length - 2} more`);
      return texts;
    };
    const ways = procedure.ways.map((way, i) => {
      const [x1, y1, x2, y2] = [x(way.from), y.get(way.from), x(way.to), y.get(way.to)];
      const times = Math.max(0, ...way.edges.map((edge) => taken.get(edge) || 0));
      const bend = back.has(i) || way.from === way.to ? 70 + 12 * (i % 5) : 0;
      const twins = procedure.ways.filter((other) => other.from === way.from && other.to === way.to);
      const shift = procedure.ways.length < 2000 ? (twins.indexOf(way) - (twins.length - 1) / 2) * 46 : 0;
      const d = bend
        ? `M${x1 + 9},${y1} C${x1 + bend + 60},${y1 + 20} ${x2 + bend + 60},${y2 - 20} ${x2 + 11},${y2}`
        : `M${x1},${y1 + 9} C${x1 + shift},${y1 + dy / 2} ${x2 + shift},${y2 - dy / 2} ${x2},${y2 - 11}`;
      const [tx, ty] = bend ? [Math.max(x1, x2) + bend * 0.75 + 14, (y1 + y2) / 2] : [(x1 + x2) / 2 + shift * 0.75 + 5, (y1 + y2) / 2];
      const text = label(way).map((t, n) => `<tspan x="${tx}" dy="${n ? 11 : 0}">${escaped(t)}</tspan>`).join("");
      const title = escaped(`line ${way.line}${times ? `, taken ${times} times` : ""}\n${way.operations.join("\n")}`);
      return `<g class="edge" data-line="${way.line}" data-way="${i}"><title>${title}</title><path class="way${times ? " taken" : ""}" d="${d}"/><text class="op" x="${tx}" y="${ty}">${text}</text></g>`;
    }).join("");
    const nodes = procedure.nodes.map((node, i) => {
      const text = node.kind === "error" ? "ERROR" : node.line ? `${node.line}` : "";
      return `<g><title>L${node.id}${node.kind ? ` (${node.kind})` : ""}</title><circle class="node ${node.kind || ""}" cx="${x(i)}" cy="${y.get(i)}" r="9"/><text x="${x(i) + 13}" y="${y.get(i) - 6}">${text}</text></g>`;
    }).join("");
    byId("drawing").innerHTML = `<svg width="${width}" height="${height}" role="img" aria-label="Control flow of ${escaped(procedure.name)}"><defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0,0 L8,4 L0,8 z"/></marker></defs>${ways}${nodes}</svg>`;
    byId("drawing").scrollLeft = (width - byId("drawing").clientWidth) / 2;
    markWays();
  };
  let follow = () => {}; // Draws the procedure of a name, while graphs are shown.
  const markWays = () => {
    if (!drawn || !byId("drawing")) return;
    const of = new Set(now >= 0 ? steps[now].edges : []);
    document.querySelectorAll("#drawing g.edge").forEach((e) => {
      const way = drawn.ways[Number(e.dataset.way)];
      e.querySelector("path").classList.toggle("now", way.edges.some((edge) => of.has(edge)));
    });
  };

  // ---- what the panel shows ----
  const panel = byId("panel");
  const table = (rows, heads) => `<table>${heads ? `<tr>${heads.map((h) => `<th>${h}</th>`).join("")}</tr>` : ""}${rows.map((row) => `<tr>${row.map((cell) => `<td${typeof cell === "number" ? ' class="num"' : ""}>${cell}</td>`).join("")}</tr>`).join("")}</table>`;
  const tabs = {
    Run: {
      shown: steps.length > 0,
      draw() {
        panel.innerHTML = `<div class="bar"><button id="first" title="Home">⇤</button><button id="previous" title="← or k">←</button><button id="next" title="→ or j">→</button><button id="last" title="End">⇥</button><button id="over" title="n: the next step of this call">over</button><button id="foldall">fold all calls</button><button id="unfold">unfold</button><span id="counter" class="faint"></span></div><div id="steps"></div><div id="values"></div>`;
        byId("first").onclick = () => go(0);
        byId("previous").onclick = () => go(now - 1);
        byId("next").onclick = () => go(now + 1);
        byId("last").onclick = () => go(steps.length - 1);
        byId("over").onclick = () => go(behind(Math.max(now, 0)));
        byId("foldall").onclick = () => { steps.forEach((_, i) => { if (calls(i)) folded.add(i); }); drawSteps(); };
        byId("unfold").onclick = () => { folded.clear(); drawSteps(); };
        byId("steps").onclick = (event) => {
          const step = event.target.closest(".step");
          if (!step) return;
          const at = Number(step.dataset.step);
          event.target.classList.contains("fold") ? fold(at) : go(at);
        };
        drawSteps();
        if (now < 0) go(0);
      },
    },
    Proof: {
      shown: record.verdict === "SAFE",
      draw() {
        const claim = (c) => `<div class="claim"><div>${c.procedure ? `<b>${escaped(c.procedure)}</b>, ` : ""}${c.line ? link(c.line) : "everywhere"}</div>${c.conditions.map((text) => `<code>${escaped(text)}</code>`).join("")}</div>`;
        const kind = record.certificate ? `Proof by ${record.certificate.kind}, checked with ${record.certificate.solver_calls} questions to the solver.` : "";
        panel.innerHTML = `<p>${kind}</p>${invariants.map(claim).join("") || "<p>No loop or procedure needs a formula.</p>"}`;
      },
    },
    Assumptions: {
      shown: true,
      draw() {
        const all = record.assumptions || [];
        panel.innerHTML = all.length
          ? table(all.map((a) => [escaped(a.kind), a.line ? link(a.line) : "", escaped(a.text)]), ["kind", "place", "what is assumed"])
          : "<p>Nothing is assumed.</p>";
      },
    },
    Graph: {
      shown: graph.procedures.length > 0,
      draw() {
        panel.innerHTML = `<div class="bar"><input id="wanted" type="search" placeholder="Procedure" aria-label="Procedure"><span class="faint">${graph.procedures.length} procedures; straight ways are one edge; a click on an edge shows its line</span></div><div id="graph"><div id="procedures"></div><div id="drawing"></div></div>`;
        const used = (p) => p.ways.some((way) => way.edges.some((edge) => taken.has(edge)));
        const all = [...graph.procedures].sort((a, b) => used(b) - used(a) || a.line - b.line);
        const list = () => {
          const wanted = byId("wanted").value.toLowerCase();
          byId("procedures").innerHTML = all.filter((p) => p.name.toLowerCase().includes(wanted)).map((p) =>
            `<div data-name="${escaped(p.name)}" aria-selected="${drawn === p}">${used(p) ? "● " : ""}${escaped(p.name)} <span class="faint">${p.nodes.length}</span></div>` +
            (drawn === p ? p.calls.map((name) => `<div class="calls" data-name="${escaped(name)}">→ ${escaped(name)}</div>`).join("") : "")).join("");
        };
        const open = (name) => {
          const procedure = graph.procedures.find((p) => p.name === name);
          if (!procedure) return;
          drawn = procedure;
          list();
          draw(procedure);
        };
        follow = open;
        byId("wanted").oninput = list;
        byId("procedures").onclick = (event) => { const e = event.target.closest("[data-name]"); if (e) open(e.dataset.name); };
        byId("drawing").onclick = (event) => { const e = event.target.closest("g.edge"); if (e) show(Number(e.dataset.line)); };
        const first = graph.procedures.find((p) => now >= 0 && p.name === steps[now].function);
        open((first || drawn || all.find((p) => p.name === "main") || all[0]).name);
      },
    },
    Time: {
      shown: true,
      draw() {
        const attempts = record.attempts || [{ engine: record.engine, arith: record.arith, stats: record.stats }];
        const parts = [["solver_s", "solver", "#4c78a8"], ["rest", "engine", "#9ecae9"], ["check_s", "checker", "#54a24b"], ["gate_s", "last gate", "#b6992d"], ["replay_s", "replay", "#e45756"]];
        const of = (attempt, key) => {
          const stats = attempt.stats || {};
          const solver = Math.min(stats.solver_s || 0, stats.engine_s || Infinity);
          if (key === "solver_s") return solver;
          if (key === "rest") return Math.max(0, (stats.engine_s || 0) - solver);
          return stats[key] || 0;
        };
        const total = (attempt) => parts.reduce((sum, [key]) => sum + of(attempt, key), 0);
        const longest = Math.max(0.001, ...attempts.map(total));
        const bar = (attempt) => `<span>${escaped(attempt.engine)} <span class="faint">(${escaped(attempt.arith)})</span></span><span class="track">${parts.map(([key, name, colour]) => `<i title="${name}: ${of(attempt, key).toFixed(3)} s" style="width:${(100 * of(attempt, key)) / longest}%;background:${colour}"></i>`).join("")}</span><span class="faint">${total(attempt).toFixed(2)} s: ${escaped(attempt.reason || "decided")}</span>`;
        panel.innerHTML = `<p>Processor time of every attempt, in the order in which they ended. ${parts.map(([, name, colour]) => `<span style="color:${colour}">■</span> ${name}`).join(" ")}</p><div class="time">${attempts.map(bar).join("")}</div>`;
      },
    },
    Counters: {
      shown: true,
      draw() {
        const rows = Object.entries(record.stats || {}).map(([name, value]) => [escaped(name), value]);
        panel.innerHTML = table(rows);
      },
    },
  };
  const open = (name) => {
    history.replaceState(null, "", `#${name}`);
    document.querySelectorAll("#tabs button").forEach((e) => e.setAttribute("aria-selected", e.textContent === name));
    tabs[name].draw();
  };
  for (const [name, tab] of Object.entries(tabs)) {
    if (tab.shown) byId("tabs").append(element("button", { role: "tab", onclick: () => open(name) }, name));
  }

  // ---- keys ----
  document.addEventListener("keydown", (event) => {
    if (event.target.matches?.("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = {
      "/": () => search.focus(),
      d: turn,
      j: () => go(now + 1), ArrowRight: () => go(now + 1),
      k: () => go(now - 1), ArrowLeft: () => go(now - 1),
      n: () => go(behind(Math.max(now, 0))),
      f: () => fold(now),
      Home: () => go(0), End: () => go(steps.length - 1),
    };
    if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
  });

  // ---- the line between the panes ----
  byId("divider").addEventListener("pointerdown", (down) => {
    const move = (event) => { source.style.flex = `0 0 ${event.clientX}px`; };
    const up = () => { document.removeEventListener("pointermove", move); document.removeEventListener("pointerup", up); };
    document.addEventListener("pointermove", move);
    document.addEventListener("pointerup", up);
    down.preventDefault();
  });

  const wanted = decodeURIComponent(location.hash.slice(1));
  open(tabs[wanted] && tabs[wanted].shown ? wanted : steps.length ? "Run" : record.verdict === "SAFE" ? "Proof" : "Assumptions");
  const claimed = invariants.find((claim) => claim.line);
  if (!steps.length && claimed) show(claimed.line);
})();
