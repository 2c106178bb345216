// Text that is measured before it is drawn, and axes whose labels never overlap.
"use strict";

const kFont = 12, kLine = 15;  // pixels: size of a label, height of its line
const kGap = 10;               // between two labels
const kMinute = 60, kHour = 3600, kDay = 86400;

const pen = document.createElement("canvas").getContext("2d");

function textWidth(text, weight = 400) {
  pen.font = weight + " " + kFont + "px " + getComputedStyle(document.body).fontFamily;
  return pen.measureText(text).width;
}

function widest(texts, weight) { return d3.max(texts, text => textWidth(text, weight)) || 0; }

// The text, or its beginning with an ellipsis.
function shortened(text, width, weight) {
  if (textWidth(text, weight) <= width) return text;
  let end = text.length;
  while (end > 1 && textWidth(text.slice(0, end) + "\u2026", weight) > width) --end;
  return text.slice(0, end).trimEnd() + "\u2026";
}

// Lines of words; a word that is too long alone is shortened.
function textLines(text, width, most = 3, weight = 400) {
  const lines = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line ? line + " " + word : word;
    if (line && textWidth(longer, weight) > width) { lines.push(line); line = word; } else line = longer;
  }
  lines.push(line);
  if (lines.length > most) lines.splice(most - 1, lines.length, lines.slice(most - 1).join(" "));
  return lines.map(each => shortened(each, width, weight));
}

// Text on several lines, the first with its baseline at `y`; gives how many lines there are.
function addLines(parent, lines, x, y, anchor, name) {
  lines.forEach((line, i) => parent.append("text").attr("class", name).attr("x", x).attr("y", y + i * kLine).attr("text-anchor", anchor).text(line));
  return lines.length;
}

// Values that a logarithmic axis may name, the rounder ones first.
function roundValues(unit, low, high) {
  const levels = [[], [], []];
  for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); ++e) {
    if (unit === "duration" && e >= 1) break;
    levels[0].push(10 ** e);
    levels[1].push(2 * 10 ** e, 5 * 10 ** e);
  }
  if (unit === "duration") {
    levels[0].push(10, kMinute, 10 * kMinute, kHour, 10 * kHour, kDay, 10 * kDay, 100 * kDay, 1000 * kDay);
    levels[1].push(30, 5 * kMinute, 30 * kMinute, 2 * kMinute, 20 * kMinute, 2 * kHour, 5 * kHour, 2 * kDay, 5 * kDay, 30 * kDay, 365 * kDay);
    levels[2].push(20, 3 * kMinute, 15 * kMinute, 3 * kHour, 4 * kHour, 3 * kDay, 20 * kDay, 50 * kDay);
  }
  return levels;
}

function linearTicks([low, high], unit, count) {
  const size = unit === "duration" ? timeUnit(Math.max(Math.abs(low), Math.abs(high)))[1] : 1;
  return d3.ticks(low / size, high / size, count).map(value => value * size);
}

// Ticks of a horizontal axis, or a vertical one, so many and so chosen that no label touches another. A logarithmic axis that is too short for
// round values has those of a linear one.
function chooseTicks(scale, unit, log, horizontal) {
  const room = (a, b, text) => Math.abs(scale(a) - scale(b)) - (horizontal ? (textWidth(text(a)) + textWidth(text(b))) / 2 + kGap : kLine + 8) >= 0;
  if (log) {
    const [low, high] = scale.domain(), text = tickText(unit, 1), chosen = [];
    for (const level of roundValues(unit, low, high))
      for (const value of level)
        if (value >= low * 0.9999 && value <= high * 1.0001 && chosen.every(c => room(c, value, text))) chosen.push(value);
    if (chosen.length > 1) return { values: chosen.sort(d3.ascending), text };
  }
  const length = Math.abs(scale.range()[1] - scale.range()[0]);
  for (let count = Math.max(1, Math.floor(length / (horizontal ? 56 : 40))); ; --count) {
    const values = linearTicks(scale.domain(), unit, count), text = tickText(unit, values.length > 1 ? values[1] - values[0] : 1, d3.max(values, Math.abs));
    if (count <= 1 || values.every((v, i) => i === 0 || room(v, values[i - 1], text))) return { values: count <= 1 ? values.slice(0, 1) : values, text };
  }
}

// Positions, ticks and their texts of one axis of numbers. `pads`: what of its length stays free at both ends.
function numberAxis(axis, values, range, pads = [0.025, 0.025], zero = false) {
  let [low, high] = d3.extent(values);
  const log = axis.scale === "logarithmic" && low > 0;
  if (zero && !log) { low = Math.min(low, 0); high = Math.max(high, 0); }
  if (low === high) { const by = Math.abs(low) / 10 || 1; low = log ? low / 1.1 : low - by; high += by; }
  const horizontal = range[0] < range[1];
  const scale = (log ? d3.scaleLog() : d3.scaleLinear()).range(range);
  if (log) scale.domain([low / (high / low) ** pads[0], high * (high / low) ** pads[1]]);
  else scale.domain([zero && low === 0 ? 0 : low - (high - low) * pads[0], zero && high === 0 ? 0 : high + (high - low) * pads[1]]);
  const { values: ticks, text } = chooseTicks(scale, axis.unit, log, horizontal);
  return { at: value => scale(value), log, ticks: ticks.map(value => ({ value, at: scale(value), text: text(value) })) };
}

// Words side by side.
function wordAxis(texts, range) {
  const scale = d3.scalePoint().domain(texts).range(range).padding(0.5), width = Math.abs(range[1] - range[0]) / texts.length - kGap;
  const every = Math.ceil(34 / Math.max(1, width));
  return { at: (value, text) => scale(text), words: true,
           ticks: texts.filter((t, i) => i % every === 0).map(text => ({ at: scale(text), lines: textLines(text, every * (width + kGap) - kGap) })) };
}

// Grid lines and labels below the chart; gives how many pixels they take.
function drawBelow(svg, axis, top, bottom, title, left, right, total) {
  const g = svg.append("g").attr("class", "axis");
  let lines = 1;
  for (const tick of axis.ticks) {
    g.append("line").attr("class", "grid").attr("x1", tick.at).attr("x2", tick.at).attr("y1", top).attr("y2", bottom);
    const texts = tick.lines || [tick.text], half = widest(texts) / 2;
    const x = Math.max(half, Math.min(total - half, tick.at));
    lines = Math.max(lines, addLines(g, texts, x, bottom + 17, "middle", "tick"));
  }
  if (!title) return 8 + lines * kLine;
  const words = textLines(title, total, 2, 600), half = widest(words, 600) / 2;
  const middle = Math.max(half, Math.min(total - half, (left + right) / 2));
  return 18 + (lines + addLines(g, words, middle, bottom + 23 + lines * kLine, "middle", "title")) * kLine;
}

// Grid lines and labels to the left of the chart.
function drawLeft(svg, axis, left, right) {
  const g = svg.append("g").attr("class", "axis");
  for (const tick of axis.ticks) {
    g.append("line").attr("class", "grid").attr("y1", tick.at).attr("y2", tick.at).attr("x1", left).attr("x2", right);
    g.append("text").attr("class", "tick").attr("x", left - 8).attr("y", tick.at).attr("dy", "0.35em").attr("text-anchor", "end").text(tick.text);
  }
}
