// The job as data: coordinates of ranks, groups, seats, states, frames of an incident. No drawing.
"use strict";

const view = JSON.parse(document.getElementById("data").textContent);
const whole = view.layout;
const kDimensions = ["tensor", "context", "expert", "data", "pipeline"];  // as core/layout.hpp counts them
const kSilent = 0, kNotReached = -1;

// --- the layout ----------------------------------------------------------------------------------------------------
// Ranks are ordered as core/layout.hpp and Megatron-LM order them: tp fastest, then cp, then dp (ep divides it), then pp.

function ranksOf(layout) { return layout.tp * layout.cp * layout.dp * layout.pp; }

function coordinatesOf(rank, layout) {
  const { tp, cp, dp } = layout;
  return { tp: rank % tp, cp: Math.floor(rank / tp) % cp, dp: Math.floor(rank / (tp * cp)) % dp, pp: Math.floor(rank / (tp * cp * dp)) };
}

function rankAt(at, layout) { return at.tp + layout.tp * (at.cp + layout.cp * (at.dp + layout.dp * at.pp)); }

// A group is the ranks first + i * stride, for i below size.
function groupShape(dimension, layout) {
  const { tp, cp, dp, pp, ep } = layout;
  switch (dimension) {
    case "tensor": return [1, tp];
    case "context": return [tp, cp];
    case "expert": return [tp * cp, ep];
    case "data": return [tp, cp * dp];
    default: return [tp * cp * dp, pp];
  }
}

function groupOf(rank, dimension, layout) {
  const [stride, size] = groupShape(dimension, layout);
  const first = Math.floor(rank / (stride * size)) * stride * size + rank % stride;
  return Array.from({ length: size }, (_, i) => first + i * stride);
}

// Neighbours in the pipeline, which send activations forward and gradients back. Null where there is none.
function neighbours(rank, layout) {
  const stage = layout.tp * layout.cp * layout.dp, at = Math.floor(rank / stage), circular = layout.virtual_stages > 1 && layout.pp > 1;
  const to = p => p >= 0 && p < layout.pp ? rank % stage + p * stage : circular ? rank % stage + ((p + layout.pp) % layout.pp) * stage : null;
  return { from: to(at - 1), to: to(at + 1) };
}

// --- who sits where ------------------------------------------------------------------------------------------------

// The job just before a time: its layout, the host of each slot (-1: vacant), hosts out of service.
function jobBefore(time) {
  const slots = Int32Array.from({ length: view.job_hosts }, (_, slot) => slot);
  for (const [at, slot, host] of view.changes.seats) { if (at >= time) break; slots[slot] = host; }
  let dp = whole.dp;
  for (const [at, replicas] of view.changes.replicas) { if (at >= time) break; dp = replicas; }
  const out = new Set();
  for (const [at, host, gone] of view.changes.service) { if (at >= time) break; if (gone) out.add(host); else out.delete(host); }
  const layout = { ...whole, dp }, slotOf = new Map();
  slots.forEach((host, slot) => { if (host >= 0 && slot * view.gpus_per_host < ranksOf(layout)) slotOf.set(host, slot); });
  return { layout, slots, slotOf, out };
}

function hostOf(rank, job) { return job.slots[Math.floor(rank / view.gpus_per_host)]; }

// --- incidents -----------------------------------------------------------------------------------------------------

// [first, how many, ...] as a list.
function listed(stretches) {
  const list = [];
  for (let i = 0; i < stretches.length; i += 2) for (let n = 0; n < stretches[i + 1]; ++n) list.push(stretches[i] + n);
  return list;
}
for (const incident of view.incidents) for (const name of ["culprits", "hosts", "silent_slots"]) incident[name] = listed(incident[name]);

// [count, values...] and so on, as arrays by index.
function unpacked(runs, width, length) {
  const columns = Array.from({ length: width }, () => new Int16Array(length).fill(-1));
  for (let i = 0, at = 0; i < runs.length; i += width + 1) {
    columns.forEach((column, c) => column.fill(runs[i + 1 + c], at, at + runs[i]));
    at += runs[i];
  }
  return columns;
}

// The waves of a stop by rank, the dimension in which each rank waits, and the recorded answers by slot.
function spreadOf(incident) {
  const [wave, dimension] = unpacked(incident.spread, 2, ranksOf(whole));
  const [answer] = unpacked(incident.answers, 1, view.job_hosts);
  return { wave, dimension, answer, waves: wave.reduce((a, b) => Math.max(a, b), -1) };
}

// The member of a group that a rank waits for: one that stopped before it did.
function heldUpBy(rank, spread, layout) {
  const dimension = spread.dimension[rank];
  if (dimension < 0) return null;
  let found = null;
  for (const other of groupOf(rank, kDimensions[dimension], layout))
    if (spread.wave[other] >= 0 && spread.wave[other] < spread.wave[rank] && (found === null || spread.wave[other] < spread.wave[found])) found = other;
  return found;
}

// How a culprit appears to the other ranks.
function culpritWord(incident) {
  return { hang: "silent", crash: "gone", slow: "slow", degrade: "slow", stall: "paused" }[incident.effect] ?? (incident.basis === "exit" ? "gone" : "silent");
}

const kBasis = { truth: "the truth log", answers: "the answers of the other hosts", exit: "the first rank that exited on its own", decision: "the eviction by the policy", nobody: "nobody" };

// The pictures of an incident in their order. `wave`: ranks up to it have stopped. `phase`: "trains", "stops" or "down".
function framesOf(incident, spread) {
  const frames = [], word = culpritWord(incident);
  let phase = "trains", wave = -1;
  const add = (time, text, kind, host = -1) => frames.push({ time, text, kind, host, wave, phase });
  const recorded = ([time, host, kind, text]) => {
    if (kind === "ranks_ended") phase = "down";
    if (kind === "loaded") { phase = "trains"; wave = -1; }
    add(time, text, kind, host);
  };
  incident.events.filter(event => event[0] < incident.opened).forEach(recorded);
  phase = "trains"; wave = -1;
  add(incident.opened, "Before: every rank trains", "computed");
  if (incident.spread.length) {
    phase = "stops";
    const counts = new Int32Array(spread.waves + 1), by = counts.map(() => 0);
    spread.wave.forEach((value, rank) => { if (value >= 0) { ++counts[value]; by[value] |= 1 << (spread.dimension[rank] + 1); } });
    wave = 0;
    add(incident.opened, `${capital(partText(incident.component))} is ${word}: ${counted(counts[0], "rank")}`, "computed");
    for (wave = 1; wave <= spread.waves; ++wave) {
      const where = kDimensions.filter((_, d) => by[wave] & 1 << (d + 1)).join(" or ");
      add(incident.opened, `Wave ${wave}: ${counted(counts[wave], "rank")} ${counts[wave] === 1 ? "waits" : "wait"} in a ${where} group`, "computed");
    }
    wave = spread.waves;
  }
  const last = frames.length - 1;
  incident.events.filter(event => event[0] >= incident.opened).forEach(recorded);
  return { frames, spread: last };
}

// Words for the state of a rank at a frame: [key of its colour, sentence].
function stateOf(rank, frame, incident, spread, job) {
  if (rank >= ranksOf(job.layout)) return ["away", "The job runs without this rank: it has fewer replicas."];
  if (hostOf(rank, job) < 0) return ["away", "Its slot is vacant."];
  if (!incident) return ["trains", "Trains."];
  if (frame.phase === "down") return ["down", "Its process has ended."];
  const wave = spread.wave[rank];
  if (frame.phase === "trains" || wave === kNotReached || wave > frame.wave) return ["trains", "Trains."];
  const word = culpritWord(incident);
  if (wave === kSilent) return ["silent", word === "silent" ? "Is silent: it enters no collective, and others wait for it." : `Is ${word}, and others wait for it.`];
  const dimension = kDimensions[spread.dimension[rank]], by = heldUpBy(rank, spread, job.layout);
  return [dimension, `Waits in its ${dimension} group for rank ${grouped(by)} (wave ${wave}).`];
}

// --- signals -------------------------------------------------------------------------------------------------------

// The last recorded value of each host up to a time.
function valuesAt(signal, time) {
  const values = new Map();
  for (let i = 0; i < signal.samples.length && signal.samples[i] <= time; i += 3) values.set(signal.samples[i + 1], signal.samples[i + 2]);
  return values;
}

// --- words ---------------------------------------------------------------------------------------------------------

function grouped(number) { return Math.round(number).toLocaleString("en-US"); }
function counted(count, what) { return `${grouped(count)} ${what}${count === 1 ? "" : "s"}`; }
// "gpu 17" as people write it.
function partText(component) { return component.replace(/^(gpu|nic|tor)\b/, part => ({ gpu: "GPU", nic: "NIC", tor: "ToR switch" })[part]); }
function capital(text) { return text.charAt(0).toUpperCase() + text.slice(1); }

function durationText(seconds) {
  if (seconds < 60) return `${+seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  const units = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]], parts = [];
  let left = Math.round(seconds);
  for (const [unit, size] of units) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0 && parts.length < 2) parts.push(`${count} ${unit}`);
    else if (parts.length > 0) break;
  }
  return parts.join(" ");
}
