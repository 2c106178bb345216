// The page: incidents, player, pictures and the panel of the picked rank. A cell is a rank as the whole job numbers it; where the job runs
// with fewer replicas, the ranks of its cells have other numbers.
"use strict";

const page = { incident: null, spread: null, frames: [{ time: view.wall + 1, wave: -1, phase: "trains", text: "", kind: "computed", host: -1 }], at: 0, cell: null, colour: "state", job: null,
  timer: null, shapes: {} };
const kMembersMost = 256, kLinesMost = 8, kPlayMs = 800, kWidthLeast = 120;  // in pixels: a page that is being laid out has no width yet

function frame() { return page.frames[page.at]; }
function rankOfCell(cell) {
  const at = coordinatesOf(cell, whole);
  return at.dp < page.job.layout.dp ? rankAt(at, page.job.layout) : null;
}
function cellOfRank(rank) { return rankAt(coordinatesOf(rank, page.job.layout), whole); }

// Before or after the incident opened.
function sinceText(time) {
  const since = time - page.incident.opened;
  return `${since < 0 ? "−" : "+"}${durationText(Math.abs(since))}`;
}

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter(child => child !== null));
  return element;
}

// --- the frame of the page -----------------------------------------------------------------------------------------

const layoutText = `${grouped(ranksOf(whole))} ranks = tp ${whole.tp} × ` + (whole.cp > 1 ? `cp ${whole.cp} × ` : "") + `pp ${whole.pp} × dp ${whole.dp}` +
  (whole.ep > 1 ? ` (ep ${whole.ep})` : "") + `, on ${counted(view.job_hosts, "host")}` + (view.spares ? ` with ${counted(view.spares, "spare host")}` : "");
const incidentList = make("ol", { class: "list", id: "incidents", "aria-label": "Incidents" });
const frameList = make("ol", { class: "list frames", id: "frames", "aria-label": "What happens" });
const cube = make("canvas", { id: "cube", tabindex: "0", role: "application", "aria-roledescription": "grid of ranks, moved by arrow keys" });
const hostsCanvas = make("canvas", { id: "hosts", role: "img" });
const caption = make("p", { class: "caption", id: "caption", "aria-live": "polite" });
const slider = make("input", { type: "range", min: 0, max: 0, value: 0, id: "step", "aria-label": "Step of the incident", oninput: () => { pause(); show(+slider.value); } });
const playButton = make("button", { id: "play", type: "button", onclick: () => page.timer ? pause() : play() }, "Play");
const player = make("div", { class: "player", role: "group", "aria-label": "Play the incident" },
  make("button", { type: "button", onclick: () => { pause(); show(page.at - 1); }, "aria-label": "Step back" }, "‹"), playButton,
  make("button", { type: "button", onclick: () => { pause(); show(page.at + 1); }, "aria-label": "Step forward" }, "›"), slider);
const colourSelect = make("select", { id: "colour", onchange: () => { page.colour = colourSelect.value; draw(); } });
const legend = make("ul", { class: "legend", id: "legend" });
const basis = make("p", { class: "hint", id: "basis" });
const panel = make("section", { id: "panel", "aria-label": "The picked rank" });
const effects = [...new Set(view.incidents.map(each => each.effect || each.cause))].sort();
const effectSelect = make("select", { id: "effect", "aria-label": "Show incidents of", onchange: listIncidents }, make("option", { value: "" }, "every effect"),
  ...effects.map(each => make("option", { value: each }, each)));

document.querySelector("main").append(
  make("h1", {}, view.title),
  make("p", { class: "subtitle" }, `${capital(view.origin)}. ${layoutText}. ${durationText(view.wall)} of wall time.`),
  ...view.notes.map(note => make("p", { class: "note" }, note)),
  make("div", { class: "columns" },
    make("div", {},
      make("section", {}, make("h2", {}, `${counted(view.incidents.length + view.incidents_left_out, "incident")}`), effects.length > 1 ? make("p", {}, effectSelect) : null,
        view.incidents.length ? make("p", { class: "hint" }, "Pick one: its ranks are coloured by what they wait for.") : make("p", { class: "hint" }, "Nothing stopped the job in this run."),
        incidentList, view.incidents_left_out ? make("p", { class: "hint" }, `${counted(view.incidents_left_out, "later incident")} left out: --incident N shows one.`) : null),
      make("section", { id: "story", hidden: true }, make("h2", {}, "What happens"), make("p", { class: "hint" }, make("span", { class: "computed" }, "Slanted"), ": computed from the layout. Upright: recorded."), frameList)),
    make("section", { class: "middle" },
      make("h2", {}, "Ranks: the logical cube, a block per pipeline stage"),
      make("p", { class: "hint" }, `A row is a data-parallel replica, a column a tensor-parallel rank${whole.cp > 1 ? " of a context-parallel rank" : ""}. Click a rank, or move with the arrow keys.`),
      make("div", { class: "tools" }, make("label", {}, "Colour by ", colourSelect)), legend, basis, player, caption, cube),
    make("div", {},
      panel,
      make("section", {}, make("h2", {}, "Hosts: racks and pods"), make("p", { class: "hint" }, `Blocks are hosts under common switches (${view.places.group} each). A host has the colour of its first rank that stopped.`), hostsCanvas))),
  make("p", { class: "command" }, view.command));

// --- colours -------------------------------------------------------------------------------------------------------

const kStateWords = { silent: "silent, or the culprit", tensor: "waits: tensor", context: "waits: context", expert: "waits: expert", pipeline: "waits: pipeline", data: "waits: data", trains: "trains", down: "process has ended", away: "no rank" };

function colouring() {
  const { job } = page, incident = page.incident, ofRank = colour => cell => {
    const rank = rankOfCell(cell);
    return rank === null || hostOf(rank, job) < 0 ? themed.away : colour(rank);
  };
  themed.away = themed("--away"); themed.unknown = themed("--unknown");
  const cycle = words => ({ legend: words.slice(0, 12).map((word, i) => [kCycle[i % kCycle.length], word]), note: "" });
  if (page.colour === "stage")
    return { ...cycle(Array.from({ length: whole.pp }, (_, i) => `stage ${i}`)), rank: ofRank(rank => kCycle[coordinatesOf(rank, job.layout).pp % kCycle.length]), note: "From the layout. Colours repeat after 7 stages." };
  if (page.colour === "replica")
    return { ...cycle(Array.from({ length: Math.min(whole.dp, 7) }, (_, i) => `replica ${i}`)), rank: ofRank(rank => kCycle[coordinatesOf(rank, job.layout).dp % kCycle.length]), note: "From the layout. Colours repeat after 7 replicas." };
  if (page.colour === "pod" || page.colour === "rack") {
    const size = view.places[page.colour];
    return { legend: [], rank: ofRank(rank => kCycle[Math.floor(hostOf(rank, job) / size) % kCycle.length]), host: host => kCycle[Math.floor(host / size) % kCycle.length], note: `Neighbouring ${page.colour}s differ. Colours repeat after 7.` };
  }
  if (page.colour === "wave" && incident) {
    const waves = Math.max(1, page.spread.waves), colour = wave => wave === 0 ? kColours.silent : scaleColour((wave - 1) / waves);
    return { legend: [[kColours.silent, "the culprit: not heard for longest"], ...Array.from({ length: Math.min(waves, 9) }, (_, i) => [colour(i + 1), `wave ${i + 1}`]), ...(frame().phase === "stops" && frame().wave >= waves ? [] : [[kColours.trains, "trains"]])],
      rank: ofRank(rank => { const wave = page.spread.wave[rank]; return frame().phase === "stops" && wave >= 0 && wave <= frame().wave ? colour(wave) : kColours.trains; }), note: "Computed: in which order ranks are last heard." };
  }
  if (page.colour === "answer" && incident) {
    const slotColour = slot => page.spread.answer[slot] < 0 ? (incident.silent_slots.includes(slot) ? kColours.silent : themed.unknown) : kColours[kDimensions[page.spread.answer[slot]]];
    return { legend: [[kColours.silent, "no answer, and others wait for it"], ...kDimensions.filter((_, d) => page.spread.answer.includes(d)).map(name => [kColours[name], `waits: ${name}`]), [themed.unknown, "no answer"]],
      rank: ofRank(rank => slotColour(Math.floor(rank / view.gpus_per_host))), note: `Recorded: what each host answered at ${durationText(incident.asked)} to the question in which collective it waits.` };
  }
  const signal = view.signals.find(each => each.name === page.colour);
  if (signal) {
    const values = valuesAt(signal, frame().time), all = [...values.values()], low = Math.min(...all), high = Math.max(...all);
    const colour = host => values.has(host) ? scaleColour(high > low ? (values.get(host) - low) / (high - low) : 0.5) : themed.unknown;
    const steps = all.length ? [0, 0.5, 1].map(share => [scaleColour(high > low ? share : 0.5), `${+(low + share * (high - low)).toPrecision(3)} ${signal.unit}`]) : [];
    return { legend: [...(high > low ? steps : steps.slice(0, 1)), [themed.unknown, "no value recorded"]], rank: ofRank(rank => colour(hostOf(rank, job))), host: colour, values,
      note: `Recorded: the last value of ${counted(values.size, "host")} that passed a filter of the policies up to here.${signal.left_out ? ` ${counted(signal.left_out, "earlier sample")} left out.` : ""}` };
  }
  const key = rank => stateOf(rank, frame(), incident, page.spread, job)[0], shown = new Set();
  const rank = ofRank(each => { const state = key(each); shown.add(state); return kColours[state] ?? themed.away; });
  return { rank, shown, legend: null, note: !incident ? "No incident is picked." : incident.basis === "nobody" ? "No single host is to blame." : `Who waits is computed from the layout; the culprit is known from ${kBasis[incident.basis]}.` };
}

function fillColourSelect() {
  const options = [["state", "state: who waits for whom"]];
  if (page.incident && page.incident.spread.length) options.push(["wave", "last heard: the order of the stop"]);
  if (page.incident && page.incident.answers.length) options.push(["answer", "answers of hosts"]);
  options.push(["stage", "pipeline stage"], ["replica", "replica"], ["rack", "rack"], ["pod", "pod"], ...view.signals.map(each => [each.name, `signal: ${each.name.replaceAll("_", " ")}`]));
  if (!options.some(([value]) => value === page.colour)) page.colour = "state";
  colourSelect.replaceChildren(...options.map(([value, words]) => make("option", { value, selected: value === page.colour }, words)));
}

// --- drawing -------------------------------------------------------------------------------------------------------

function hostColour(host, colours) {
  if (colours.host) return colours.host(host);
  const slot = page.job.slotOf.get(host);
  if (slot === undefined) return page.job.out.has(host) ? kColours.down : themed("--spare");
  let first = slot * view.gpus_per_host;  // the one that stopped first speaks for its host
  for (let gpu = 1; gpu < view.gpus_per_host; ++gpu) {
    const wave = page.spread?.wave[slot * view.gpus_per_host + gpu] ?? -1;
    if (wave >= 0 && (page.spread.wave[first] < 0 || wave < page.spread.wave[first])) first = slot * view.gpus_per_host + gpu;
  }
  return colours.rank(cellOfRank(first));
}

function culpritsShown() {
  return page.incident && frame().phase === "stops" && frame().wave >= 0 && page.colour !== "answer" ? page.incident.culprits : [];
}

function draw() {
  const colours = colouring(), { incident, job } = page, rank = page.cell === null ? null : rankOfCell(page.cell);
  const groups = rank === null ? [] : kDimensions.map(dimension => groupOf(rank, dimension, job.layout)).filter(group => group.length > 1).map(group => group.map(cellOfRank));
  const silent = page.colour === "answer" ? incident.silent_slots : [];
  const loud = page.colour === "answer" ? silent.flatMap(slot => Array.from({ length: view.gpus_per_host }, (_, gpu) => slot * view.gpus_per_host + gpu)) : culpritsShown();
  page.shapes.cube = drawCube(cube, Math.max(kWidthLeast, cube.clientWidth), { colourOf: colours.rank, loud: loud.map(cellOfRank), picked: page.cell, groups });
  page.shapes.hosts = drawHosts(hostsCanvas, Math.max(kWidthLeast, hostsCanvas.clientWidth), { colourOfHost: host => hostColour(host, colours), loudHosts: [...new Set(loud.map(each => hostOf(each, job)))].filter(host => host >= 0),
    pickedHost: rank === null || hostOf(rank, job) < 0 ? null : hostOf(rank, job) });
  const entries = colours.legend ?? Object.keys(kStateWords).filter(state => colours.shown.has(state)).map(state => [kColours[state] ?? themed.away, kStateWords[state]]);
  legend.replaceChildren(...entries.map(([colour, words]) => make("li", {}, make("span", { style: `background:${colour}` }), words)));
  basis.textContent = colours.note;
  cube.setAttribute("aria-label", `${layoutText}. ${legend.textContent ? entries.map(([, words]) => words).join(", ") : ""}`);
  hostsCanvas.setAttribute("aria-label", `${counted(hostCount(), "host")} in racks and pods`);
}

function show(at) {
  page.at = Math.max(0, Math.min(page.frames.length - 1, at));
  page.job = jobBefore(page.incident && frame().time === page.incident.opened ? frame().time : frame().time + 1e-3);
  slider.value = page.at;
  const now = frame();
  caption.textContent = page.incident ? `${page.at + 1} of ${page.frames.length} · after ${durationText(now.time)} (${sinceText(now.time)}) · ${now.text}.` : "Pick an incident to play it.";
  [...frameList.children].forEach((item, i) => item.firstChild.setAttribute("aria-current", i === page.at));
  const item = frameList.children[page.at];
  if (item) frameList.scrollTop = Math.max(0, item.offsetTop - frameList.offsetTop - 120);
  draw();
  describe();
}

function play() {
  if (!page.incident) return;
  if (page.at === page.frames.length - 1) show(0);
  playButton.textContent = "Pause";
  page.timer = setInterval(() => { if (page.at >= page.frames.length - 1) pause(); else show(page.at + 1); }, kPlayMs);
}

function pause() {
  clearInterval(page.timer);
  page.timer = null;
  playButton.textContent = "Play";
}

// --- incidents -----------------------------------------------------------------------------------------------------

function listIncidents() {
  const wanted = effectSelect.value;
  incidentList.replaceChildren(...view.incidents.flatMap((incident, i) => wanted && (incident.effect || incident.cause) !== wanted ? [] : [make("li", {},
    make("button", { type: "button", "data-incident": i, "aria-current": page.incident === incident, onclick: () => pick(i) },
      make("span", { class: "when" }, `${view.numbered_from + i} · after ${durationText(incident.opened)}`), make("br"),
      `${incident.effect && incident.effect !== incident.cause ? `${incident.effect}: ` : ""}${incident.cause}${incident.hosts.length ? `, ${partText(incident.component)}` : ""}`))]));
}

function pick(number) {
  pause();
  page.incident = view.incidents[number];
  page.spread = spreadOf(page.incident);
  page.cell = null;
  const { frames, spread } = framesOf(page.incident, page.spread);
  page.frames = frames;
  slider.max = frames.length - 1;
  for (const button of incidentList.querySelectorAll("button")) button.setAttribute("aria-current", +button.dataset.incident === number);
  frameList.replaceChildren(...frames.map((each, i) => make("li", {}, make("button", { type: "button", class: each.kind === "computed" ? "computed" : "", onclick: () => { pause(); show(i); } },
    make("span", { class: "when" }, `${sinceText(each.time)} `), each.text))));
  document.getElementById("story").hidden = false;
  page.colour = "state";
  fillColourSelect();
  show(spread);  // all of it at once: who was silent stands out
}

// --- the panel -----------------------------------------------------------------------------------------------------

function rankButton(rank, picked) {
  return make("button", { type: "button", "data-rank": rank, "aria-current": rank === picked, onclick: () => { page.cell = cellOfRank(rank); draw(); describe(); } }, `${rank}`);
}

function groupSection(rank, dimension, words) {
  const group = groupOf(rank, dimension, page.job.layout);
  if (group.length === 1) return null;
  const at = group.indexOf(rank), from = Math.max(0, Math.min(at - kMembersMost / 2, group.length - kMembersMost)), shown = group.slice(from, from + kMembersMost);
  return make("div", { class: "groups", "data-group": dimension }, make("h3", {}, `${capital(dimension)} group: ${counted(group.length, "rank")}`),
    make("p", { class: "hint" }, words + (shown.length < group.length ? ` ${counted(group.length - shown.length, "member")} not listed.` : "")), make("div", { class: "members" }, ...shown.map(each => rankButton(each, rank))));
}

const kCollectives = {
  tensor: "Collectives in every layer: all-reduce, or reduce-scatter and all-gather, of activations and their gradients.",
  context: "In every attention layer: keys and values pass around, or are gathered.",
  expert: "In every expert layer: two all-to-alls, tokens to experts and back.",
  data: "At the end of a step: gradients are summed (reduce-scatter), then parameters are gathered.",
  pipeline: "Send and receive for every micro-batch, with the neighbours alone.",
};

function flowLine(rank) {
  const { from, to } = neighbours(rank, page.job.layout), button = (each, words) => each === null ? [words] : [rankButton(each, rank)];
  if (page.job.layout.pp === 1) return null;
  return make("div", { class: "groups", id: "flow" }, make("h3", {}, "Direction of data"),
    make("p", {}, "Activations: ", ...button(from, "input "), "→ this rank → ", ...button(to, "loss"), make("br"), "Gradients: ", ...button(to, "loss "), "→ this rank → ", ...button(from, "end")));
}

function describe() {
  const goTo = make("input", { type: "number", min: 0, max: ranksOf(page.job.layout) - 1, "aria-label": "Rank to show", id: "rank" });
  const showRank = () => {
    const rank = parseInt(goTo.value, 10);
    if (rank >= 0 && rank < ranksOf(page.job.layout)) { page.cell = cellOfRank(rank); draw(); describe(); }
  };
  goTo.onkeydown = event => { if (event.key === "Enter") showRank(); };
  const go = make("div", { class: "go tools" }, make("label", {}, "Rank ", goTo), make("button", { type: "button", id: "go", onclick: showRank }, "Show"));
  if (page.cell === null) {
    const incident = page.incident, lines = [];
    if (incident) {
      lines.push(make("p", {}, incident.hosts.length ? `${capital(partText(incident.component))} is the culprit, according to ${kBasis[incident.basis]}.` : "No single host is to blame."));
      if (incident.silent_slots.length) {
        const slots = jobBefore(incident.asked).slots, named = incident.silent_slots.slice(0, 8).map(slot => slots[slot]);
        lines.push(make("p", {}, `By the recorded answers, others wait for host${named.length > 1 ? "s" : ""} ${named.join(", ")}${incident.silent_slots.length > 8 ? " and more" : ""}, which gave no answer.`));
      }
      lines.push(make("p", {}, `${incident.detected === null ? "No order answered it" : `Detected after ${durationText(incident.detected)}`}. ${counted(incident.restarts, "restart")}, ${durationText(incident.lost)} of training lost.`));
      if (incident.events_left_out) lines.push(make("p", { class: "hint" }, `${counted(incident.events_left_out, "later event")} left out: --incident ${view.numbered_from + view.incidents.indexOf(incident)} shows more.`));
    }
    panel.replaceChildren(make("h2", {}, incident ? "This incident" : "No rank is picked"), ...lines, make("p", { class: "hint" }, "Click a rank or a host to see its place, its groups and what was recorded of it."), go);
    return;
  }
  const rank = rankOfCell(page.cell), { job, incident } = page;
  if (rank === null) {
    panel.replaceChildren(make("h2", {}, "No rank"), make("p", {}, "The job runs with fewer replicas here: no rank has this place."), go);
    return;
  }
  const at = coordinatesOf(rank, job.layout), slot = Math.floor(rank / view.gpus_per_host), host = job.slots[slot], gpu = rank % view.gpus_per_host;
  const [state, sentence] = stateOf(rank, frame(), incident, page.spread, job), facts = [];
  const fact = (name, value) => facts.push(make("dt", {}, name), make("dd", {}, value));
  fact("Place", host < 0 ? `slot ${slot}, which is vacant` : `host ${host}, GPU ${gpu}, rack ${Math.floor(host / view.places.rack)}, pod ${Math.floor(host / view.places.pod)}`);
  fact("Cube", `tp ${at.tp}, ` + (whole.cp > 1 ? `cp ${at.cp}, ` : "") + `dp ${at.dp}, pp ${at.pp}` + (whole.ep > 1 ? `, ep ${at.dp % whole.ep}` : ""));
  if (incident && state === "silent") fact("Culprit", `${partText(incident.component)}: ${incident.cause}${incident.effect ? ` (${incident.effect})` : ""}, by ${kBasis[incident.basis]}`);
  if (incident && incident.answers.length)
    fact("Answer", page.spread.answer[slot] >= 0 ? `its host waits in a ${kDimensions[page.spread.answer[slot]]} group` : "its host gave none when all were asked");
  for (const signal of view.signals) {
    const value = valuesAt(signal, frame().time).get(host);
    if (value !== undefined) fact(capital(signal.name.replaceAll("_", " ")), `${value} ${signal.unit}`);
  }
  const said = incident ? incident.events.filter(([time, who]) => who === host && time <= frame().time + 1e-3).slice(-kLinesMost) : [];
  const heartbeat = said.filter(([, , kind]) => kind === "heartbeat").pop();
  fact("Heartbeat", heartbeat ? `${sinceText(heartbeat[0])}: ${heartbeat[3]}` : incident ? "no silence was reported in this incident" : "pick an incident to see it");
  panel.replaceChildren(
    make("h2", { id: "picked", "aria-live": "polite" }, `Rank ${grouped(rank)}`),
    make("p", { class: `state ${state === "silent" ? "silent" : ""}`, id: "state" }, sentence),
    make("dl", {}, ...facts),
    make("h3", {}, "Last lines and orders of its host"),
    said.length ? make("ul", { class: "lines" }, ...said.map(([time, , , words]) => make("li", {}, `${sinceText(time)}: ${words}`))) : make("p", { class: "hint" }, incident ? "Nothing was recorded of it in this incident so far." : "Pick an incident to see what was recorded."),
    flowLine(rank), ...kDimensions.map(dimension => groupSection(rank, dimension, kCollectives[dimension])).filter(each => each), go);
}

// --- mouse and keys ------------------------------------------------------------------------------------------------

function placeIn(canvas, event) {
  const box = canvas.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

cube.addEventListener("click", event => {
  const cell = rankUnder(...placeIn(cube, event), page.shapes.cube);
  if (cell === null) return;
  page.cell = cell;
  draw();
  describe();
});

hostsCanvas.addEventListener("click", event => {
  const host = hostUnder(...placeIn(hostsCanvas, event), page.shapes.hosts), slot = page.job.slotOf.get(host);
  if (host === null) return;
  const culprit = culpritsShown().find(rank => hostOf(rank, page.job) === host);  // of a host with a culprit, that one
  page.cell = slot === undefined ? null : cellOfRank(culprit ?? slot * view.gpus_per_host);
  draw();
  describe();
  if (slot === undefined) panel.firstChild.textContent = `Host ${host} ${page.job.out.has(host) ? "is out of service" : "stands by"}`;
});

cube.addEventListener("keydown", event => {
  const steps = { ArrowLeft: ["tp", -1], ArrowRight: ["tp", 1], ArrowUp: ["dp", -1], ArrowDown: ["dp", 1], PageUp: ["pp", -1], PageDown: ["pp", 1] }, step = steps[event.key];
  if (!step) return;
  event.preventDefault();
  const at = coordinatesOf(page.cell ?? 0, whole), [name, by] = step;
  if (page.cell !== null) at[name] += by;
  if (name === "tp" && (at.tp < 0 || at.tp >= whole.tp)) {  // on to the next block
    const next = at.cp + by, carries = next < 0 || next >= whole.cp;
    at.cp = (next + whole.cp) % whole.cp;
    at.tp = (at.tp + whole.tp) % whole.tp;
    if (carries) at.pp += by;
  }
  if (at.dp < 0 || at.dp >= whole.dp || at.pp < 0 || at.pp >= whole.pp) return;
  page.cell = rankAt(at, whole);
  draw();
  describe();
});

let widths = "";
new ResizeObserver(() => {
  const now = `${cube.clientWidth} ${hostsCanvas.clientWidth}`;
  if (now !== widths) { widths = now; draw(); }
}).observe(document.querySelector(".columns"));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);

fillColourSelect();
listIncidents();
show(0);
