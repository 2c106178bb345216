// The two canvases: the cube of ranks, cut into pipeline stages, and the hosts in their racks and pods. One pass draws one of them.
"use strict";

// Okabe and Ito's colours, which people with any colour vision tell apart (https://jfly.uni-koeln.de/color/).
const kColours = {
  silent: "#d55e00", tensor: "#e69f00", context: "#f0e442", expert: "#cc79a7", pipeline: "#56b4e9", data: "#0072b2", trains: "#009e73", down: "#8a8f98",
};
const kCycle = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#f0e442", "#8a8f98"];
const kCellMost = 40, kCellEasy = 3.5, kCellLeast = 2.5, kGap = 10, kFoldGap = 3, kLabel = 18, kMargin = 34;
window.gauntletView = { drawCalls: 0, passes: 0 };

function themed(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

// From dark blue to yellow: cividis, whose lightness grows evenly (https://doi.org/10.1371/journal.pone.0199239).
const kScale = [[0, 34, 78], [53, 69, 108], [102, 105, 112], [148, 142, 119], [200, 184, 102], [254, 232, 56]];
function scaleColour(share) {
  const at = Math.max(0, Math.min(1, share)) * 24, step = Math.round(at) / 24 * (kScale.length - 1), i = Math.min(kScale.length - 2, Math.floor(step));
  return `rgb(${kScale[i].map((from, c) => Math.round(from + (kScale[i + 1][c] - from) * (step - i))).join(",")})`;
}

// A canvas that fills its box across, for a height in CSS pixels.
function begin(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.height = `${height}px`;
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  ++window.gauntletView.passes;
  return pen;
}

// Boxes of one colour are one draw call.
function fillBoxes(pen, boxesByColour) {
  for (const [colour, boxes] of boxesByColour) {
    pen.fillStyle = colour;
    pen.beginPath();
    for (const [x, y, width, height] of boxes) pen.rect(x, y, width, height);
    pen.fill();
    ++window.gauntletView.drawCalls;
  }
}

function strokeBoxes(pen, boxes, colour, width) {
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.beginPath();
  for (const [x, y, w, h] of boxes) pen.rect(x - width / 2, y - width / 2, w + width, h + width);
  pen.stroke();
  ++window.gauntletView.drawCalls;
}

function text(pen, words, x, y, align = "left") {
  pen.font = "12px system-ui, 'DejaVu Sans', sans-serif";
  pen.textAlign = align;
  pen.fillStyle = themed("--faint");
  pen.fillText(words, x, y);
  ++window.gauntletView.drawCalls;
}

// So many labels in a row that they do not touch.
function everyNth(count, size, room) {
  let step = 1;
  while (step * size < room) step *= step.toString()[0] === "2" ? 2.5 : 2;
  return Math.min(step, count);
}

// --- the cube ------------------------------------------------------------------------------------------------------

// A block for each pipeline stage: tp x cp columns, a row for each replica. Blocks wrap, and those of very many replicas are folded, so that
// a cell can be hit. The fewest folds that do are best: then a row is one replica throughout.
function cubeShape(width) {
  const columns = whole.tp * whole.cp, room = width - kMargin, tallest = Math.max(820, window.innerHeight);
  let best = null;
  for (let folds = 1; folds <= whole.dp && !(best && best.cell.w >= kCellEasy && best.cell.h >= kCellEasy); ++folds) {
    const rows = Math.ceil(whole.dp / folds);
    for (let across = 1; across <= whole.pp; ++across) {
      const down = Math.ceil(whole.pp / across), wide = columns * folds;
      const w = Math.min(kCellMost, ((room + kGap) / across - kGap - (folds - 1) * kFoldGap) / wide), h = Math.min(w, (tallest - down * (kLabel + kGap)) / (down * rows));
      if (w < kCellLeast && (folds > 1 || across > 1)) break;
      const cell = { w: Math.floor(w * 8) / 8, h: Math.max(kCellLeast, Math.floor(h * 4) / 4) }, score = Math.min(w, 1.3 * h) - 0.001 * down;
      if (!best || score > best.score) best = { score, folds, rows, across, down, cell };
    }
  }
  best.fold = columns * best.cell.w + kFoldGap;
  best.block = { w: best.folds * best.fold - kFoldGap + kGap, h: best.rows * best.cell.h + kLabel + kGap };
  best.height = Math.ceil(best.down * best.block.h);
  return best;
}

function cubeBox(rank, shape) {
  const at = coordinatesOf(rank, whole), { cell, block } = shape, seam = size => size > 4 ? 1 : size > 2.5 ? 0.5 : 0;
  return [kMargin + at.pp % shape.across * block.w + Math.floor(at.dp / shape.rows) * shape.fold + (at.cp * whole.tp + at.tp) * cell.w,
    Math.floor(at.pp / shape.across) * block.h + kLabel + at.dp % shape.rows * cell.h, cell.w - seam(cell.w), cell.h - seam(cell.h)];
}

function rankUnder(x, y, { cell, block, fold, folds, rows, across }) {
  const column = Math.floor((x - kMargin) / block.w), line = Math.floor(y / block.h), inBlock = x - kMargin - column * block.w;
  const nth = Math.floor(inBlock / fold), at = Math.floor((inBlock - nth * fold) / cell.w), row = Math.floor((y - line * block.h - kLabel) / cell.h);
  const pp = line * across + column, dp = nth * rows + row;
  if (column < 0 || column >= across || pp >= whole.pp || nth < 0 || nth >= folds || at >= whole.tp * whole.cp || row < 0 || row >= rows || dp >= whole.dp) return null;
  return rankAt({ tp: at % whole.tp, cp: Math.floor(at / whole.tp), dp, pp }, whole);
}

// `colourOf`: of a rank. `loud`: ranks to point at. `groups`: lists of ranks to outline.
function drawCube(canvas, width, { colourOf, loud, picked, groups }) {
  const shape = cubeShape(width), pen = begin(canvas, width, shape.height), boxes = new Map();
  for (let rank = 0; rank < ranksOf(whole); ++rank) {
    const colour = colourOf(rank);
    if (!boxes.has(colour)) boxes.set(colour, []);
    boxes.get(colour).push(cubeBox(rank, shape));
  }
  fillBoxes(pen, boxes);
  const ink = themed("--ink");
  for (const group of groups) strokeBoxes(pen, group.map(rank => cubeBox(rank, shape)), ink, 1);
  if (loud.length) pointAt(pen, loud.map(rank => cubeBox(rank, shape)), ink);
  if (picked !== null) strokeBoxes(pen, [cubeBox(picked, shape)], ink, 2.5);
  for (let stage = 0; stage < whole.pp; ++stage) {
    const words = shape.block.w > 64 ? `stage ${stage}` : `${stage}`;
    text(pen, words, kMargin + stage % shape.across * shape.block.w, Math.floor(stage / shape.across) * shape.block.h + kLabel - 5);
  }
  const step = everyNth(shape.rows, shape.cell.h, 26);
  for (let down = 0; down < shape.down; ++down)
    for (let row = 0; row < shape.rows; row += step)
      text(pen, `${row}`, kMargin - 6, down * shape.block.h + kLabel + row * shape.cell.h + Math.min(shape.cell.h, 11) / 2 + 4, "right");
  return shape;
}

// A ring around each cluster of boxes, far enough away that it covers none of them.
function pointAt(pen, boxes, ink) {
  const clusters = [];
  for (const [x, y, w, h] of boxes) {
    const near = clusters.find(c => x <= c.right + 12 && x + w >= c.left - 12 && y <= c.bottom + 12 && y + h >= c.top - 12);
    if (near) Object.assign(near, { left: Math.min(near.left, x), top: Math.min(near.top, y), right: Math.max(near.right, x + w), bottom: Math.max(near.bottom, y + h) });
    else if (clusters.length < 64) clusters.push({ left: x, top: y, right: x + w, bottom: y + h });
  }
  for (const [colour, width] of [[themed("--paper"), 5], [ink, 2]]) {
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.beginPath();
    for (const c of clusters) {
      const x = (c.left + c.right) / 2, y = (c.top + c.bottom) / 2, rx = (c.right - c.left) / 2 + 8, ry = (c.bottom - c.top) / 2 + 8;
      pen.moveTo(x + rx, y);
      pen.ellipse(x, y, rx, ry, 0, 0, 2 * Math.PI);
    }
    pen.stroke();
    ++window.gauntletView.drawCalls;
  }
}

// --- the hosts -----------------------------------------------------------------------------------------------------

function hostCount() { return view.job_hosts + view.spares; }

// Hosts in order. A group under common switches is a block, whose rows are racks where those are smaller than it; pods have a heading, and
// stand side by side where there is room.
function hostShape(width) {
  const hosts = hostCount(), { rack, group, pod } = view.places, row = Math.min(rack < group ? rack : group, 32, hosts);
  const size = Math.max(2, Math.floor(4 * Math.min(hosts > 3000 ? 5 : hosts > 600 ? 8 : hosts > 150 ? 11 : 18, (width - 8) / row)) / 4);
  const blockWidth = row * size + 6, blocksAcross = Math.max(1, Math.min(Math.ceil(pod / group), Math.floor((width + 6) / blockWidth)));
  const podWidth = Math.max(52, blocksAcross * blockWidth + 8), podsAcross = Math.max(1, Math.floor((width + 8) / podWidth)), places = [], headings = [];
  let top = 0, tallest = 0;
  for (let first = 0, number = 0; first < hosts; first += pod, ++number) {
    const column = number % podsAcross, last = Math.min(hosts, first + pod);
    if (column === 0) { top += tallest; tallest = 0; }
    headings.push([`pod ${number}`, column * podWidth, top + 13]);
    let y = top + kLabel, high = 0;
    for (let from = first, block = 0; from < last; from += group, ++block) {
      if (block > 0 && block % blocksAcross === 0) { y += high; high = 0; }
      const until = Math.min(last, from + group), x = column * podWidth + block % blocksAcross * blockWidth;
      for (let host = from; host < until; ++host) places[host] = [x + (host - from) % row * size, y + Math.floor((host - from) / row) * size];
      high = Math.max(high, Math.ceil((until - from) / row) * size + 6);
    }
    tallest = Math.max(tallest, y + high - top + 4);
  }
  return { size, places, headings, height: Math.ceil(top + tallest) };
}

function hostUnder(x, y, shape) {
  const found = shape.places.findIndex(([left, top]) => x >= left && x < left + shape.size && y >= top && y < top + shape.size);
  return found < 0 ? null : found;
}

function drawHosts(canvas, width, { colourOfHost, loudHosts, pickedHost }) {
  const shape = hostShape(width), pen = begin(canvas, width, shape.height), boxes = new Map(), seam = shape.size > 3 ? 1 : 0;
  const boxOf = host => [...shape.places[host], shape.size - seam, shape.size - seam];
  for (let host = 0; host < hostCount(); ++host) {
    const colour = colourOfHost(host);
    if (!boxes.has(colour)) boxes.set(colour, []);
    boxes.get(colour).push(boxOf(host));
  }
  fillBoxes(pen, boxes);
  const ink = themed("--ink");
  if (loudHosts.length) pointAt(pen, loudHosts.map(boxOf), ink);
  if (pickedHost !== null) strokeBoxes(pen, [boxOf(pickedHost)], ink, 2);
  for (const [words, x, y] of shape.headings) text(pen, words, x, y);
  return shape;
}
