// Draws the charts of a page (report/chart.hpp) with D3. The page's data is JSON in the element "data".
"use strict";

const kWidth = 980, kHeight = 460, kTickGap = 46;
const kMarkRow = 16, kCharacter = 7.2;
const kMargin = { top: 46, right: 30, bottom: 58, left: 74 };
const kInk = "#1f2933", kFaint = "#7b8794", kGrid = "#e4e7eb", kMark = "#c2410c";

// --- numbers as people read them ---------------------------------------------------------------------------------

const kTimes = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];

function duration(seconds) {
  if (seconds === 0) return "0s";
  if (seconds < 0) return "-" + duration(-seconds);
  if (seconds < 1e-3) return trim(seconds * 1e6, 4) + "\u00b5s";
  if (seconds < 1) return trim(seconds * 1e3, 4) + "ms";
  if (seconds < 60) return trim(seconds, 4) + "s";
  let left = Math.round(seconds), text = "", parts = 0;
  for (const [name, size] of kTimes) {
    const count = Math.floor(left / size);
    if (count > 0 && parts < 2) { text += count + name; left -= count * size; ++parts; }
    else if (parts > 0) break;
  }
  return text;
}

function trim(value, digits) { return d3.format("." + digits + "~r")(value); }

function si(value, unit) {
  if (value === 0) return "0 " + unit;
  const text = d3.format(".3~s")(value), last = text[text.length - 1];
  return /[0-9]/.test(last) ? text + " " + unit : text.slice(0, -1) + " " + last + unit;
}

function money(text) { return page.currency === "USD" ? "$" + text : text + " " + page.currency; }

// For ticks that lie `step` apart.
function tickText(unit, step) {
  switch (unit) {
    case "percent": {
      const digits = Math.max(0, d3.precisionFixed(step * 100));
      return value => (value * 100).toFixed(digits) + "%";
    }
    case "duration": return duration;
    case "bytes": return value => si(value, "B");
    case "bandwidth": return value => si(value, "B/s");
    case "money": return value => money(Math.abs(value) >= 1e6 ? d3.format(".3~s")(value) : d3.format(",~g")(+value.toFixed(9)));
    default: return value => Math.abs(value) >= 1e7 ? d3.format(".3~s")(value) : d3.format(",")(+value.toPrecision(9));
  }
}

// With enough digits to compare neighbours.
function exactText(unit, value) {
  switch (unit) {
    case "percent": return trim(value * 100, 6) + "%";
    case "duration": return value >= 172800 ? trim(value / 86400, 6) + " days" : value >= 7200 ? trim(value / 3600, 6) + " h" : duration(value);
    case "bytes": return si(value, "B");
    case "bandwidth": return si(value, "B/s");
    case "money": return money(d3.format(",.2f")(value));
    default: return d3.format(",")(+value.toPrecision(6));
  }
}

// --- axes ----------------------------------------------------------------------------------------------------------

const kMinute = 60, kHour = 3600, kDay = 86400;
const kTimeSteps = [1, 2, 5, 10, 15, 30, kMinute, 2 * kMinute, 5 * kMinute, 10 * kMinute, 15 * kMinute, 30 * kMinute, kHour, 2 * kHour,
  3 * kHour, 6 * kHour, 12 * kHour, kDay, 2 * kDay, 5 * kDay, 10 * kDay, 20 * kDay, 50 * kDay, 100 * kDay, 200 * kDay, 500 * kDay];

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

function logTicks(scale, unit) {
  const [low, high] = scale.domain(), chosen = [];
  for (const level of roundValues(unit, low, high))
    for (const value of level)
      if (value >= low * 0.9999 && value <= high * 1.0001 && chosen.every(c => Math.abs(scale(c) - scale(value)) >= kTickGap)) chosen.push(value);
  return chosen.sort(d3.ascending);
}

function linearTicks(scale, unit, count) {
  const [low, high] = scale.domain();
  if (unit !== "duration" || high - low < 2) return scale.ticks(count);
  const step = kTimeSteps.find(s => (high - low) / s <= count) || 1000 * kDay;
  return d3.range(Math.ceil(low / step) * step, high + step * 1e-6, step);
}

// Positions, ticks and their texts of one axis.
function makeAxis(axis, values, texts, range, count) {
  if (axis.scale === "category") {
    const scale = d3.scalePoint().domain(texts).range(range).padding(0.5);
    return { at: (value, text) => scale(text), ticks: texts.map(text => ({ at: scale(text), text })) };
  }
  let [low, high] = d3.extent(values);
  const log = axis.scale === "logarithmic" && low > 0;
  if (low === high) { const by = Math.abs(low) / 10 || 1; low -= by; high += by; }
  const horizontal = range[0] < range[1];
  const scale = (log ? d3.scaleLog() : d3.scaleLinear()).range(range);
  if (log) scale.domain([low / (high / low) ** 0.025, high * (high / low) ** 0.025]);
  else scale.domain(horizontal ? [low - (high - low) * 0.025, high + (high - low) * 0.025] : [low - (high - low) * 0.04, high + (high - low) * 0.1]);
  const ticks = log ? logTicks(scale, axis.unit) : linearTicks(scale, axis.unit, count);
  const step = ticks.length > 1 ? ticks[1] - ticks[0] : 1, text = tickText(axis.unit, step);
  return { at: value => scale(value), ticks: ticks.map(value => ({ at: scale(value), text: text(value) })) };
}

// --- parts of a picture --------------------------------------------------------------------------------------------

const tip = d3.select("body").append("div").attr("class", "tip");

// Shows lines of [name, value] beside the pointer.
function showTip(lines) {
  tip.selectAll("*").remove();
  for (const [name, value] of lines) {
    const line = tip.append("div");
    if (name) line.append("span").attr("class", "name").text(name + " ");
    line.append("span").text(value);
  }
  const box = tip.node().getBoundingClientRect(), x = d3.event.clientX, y = d3.event.clientY;
  tip.style("left", Math.min(x + 14, window.innerWidth - box.width - 8) + "px")
    .style("top", Math.max(8, y - box.height - 12) + "px").style("opacity", 1);
}
function hideTip() { tip.style("opacity", 0); }

function picture(figure, title, height) {
  figure.append("h2").text(title);
  return figure.append("svg").attr("viewBox", `0 0 ${kWidth} ${height}`).attr("role", "img").attr("aria-label", title);
}

function xTicks(svg, axis, top, bottom) {
  const ticks = svg.append("g").selectAll("g").data(axis.ticks).enter().append("g").attr("transform", d => `translate(${d.at},0)`);
  ticks.append("line").attr("y1", top).attr("y2", bottom).attr("stroke", kGrid);
  ticks.append("text").attr("y", bottom + 19).attr("text-anchor", "middle").text(d => d.text);
}

function yTicks(svg, axis, left, right) {
  const ticks = svg.append("g").selectAll("g").data(axis.ticks).enter().append("g").attr("transform", d => `translate(0,${d.at})`);
  ticks.append("line").attr("x1", left).attr("x2", right).attr("stroke", kGrid);
  ticks.append("text").attr("x", left - 9).attr("dy", "0.35em").attr("text-anchor", "end").text(d => d.text);
}

function axisTitles(svg, x, y, box) {
  svg.append("text").attr("class", "title").attr("x", (box.left + box.right) / 2).attr("y", box.bottom + 46).attr("text-anchor", "middle").text(x);
  svg.append("text").attr("class", "title").attr("x", 4).attr("y", kMargin.top - 22).text(y);
}

function colours(count) {
  if (count === 1) return () => "#2563a8";
  if (count <= 10) return i => d3.schemeTableau10[i];
  return i => d3.interpolateViridis(i / (count - 1));
}

function legend(svg, chart, colour, box) {
  const g = svg.append("g").attr("transform", `translate(${box.right + 22},${box.top})`);
  g.append("text").attr("class", "title").attr("y", 0).text(chart.series_title);
  const rows = g.selectAll("g").data(chart.series).enter().append("g").attr("transform", (d, i) => `translate(0,${20 + i * 19})`);
  rows.append("line").attr("x2", 18).attr("stroke", (d, i) => colour(i)).attr("stroke-width", 3);
  rows.append("text").attr("x", 25).attr("dy", "0.35em").text(d => d.name);
}

// --- charts --------------------------------------------------------------------------------------------------------

function lineChart(figure, chart) {
  const many = chart.series.length > 1;
  const names = d3.max(chart.series, s => s.name.length), titleLength = chart.series_title.length;
  const legendWidth = many ? Math.max(60 + 7.2 * names, 30 + 7.6 * titleLength) : 0;
  const height = Math.max(kHeight, kMargin.top + kMargin.bottom + 20 * (chart.series.length + 2));
  const rows = kMarkRow * chart.marks.length;  // of their labels, above the chart
  const svg = picture(figure, chart.title, height + rows);
  const box = { left: kMargin.left, right: kWidth - kMargin.right - legendWidth, top: kMargin.top + rows, bottom: height + rows - kMargin.bottom };
  const points = d3.merge(chart.series.map(s => s.points));
  if (points.length === 0) return;
  const texts = [...new Set(points.map(p => p.x_text))];
  const x = makeAxis(chart.x, points.map(p => p.x), texts, [box.left, box.right], 9);
  const heights = d3.merge(points.map(p => [p.y, p.low, p.high].filter(v => v !== null && v !== undefined)));
  const y = makeAxis(chart.y, heights, [], [box.bottom, box.top], 8);
  xTicks(svg, x, box.top, box.bottom);
  yTicks(svg, y, box.left, box.right);
  axisTitles(svg, chart.x.title, chart.y.title, box);
  const marks = svg.append("g").selectAll("g").data(chart.marks).enter().append("g");
  const markAt = d => x.at(d.x, d.x_text);
  const markTop = d => box.top - 6 - kMarkRow * d.row, toTheLeft = d => markAt(d) + kCharacter * d.text.length > box.right;
  marks.append("line").attr("x1", markAt).attr("x2", markAt).attr("y1", markTop).attr("y2", box.bottom)
    .attr("stroke", kMark).attr("stroke-dasharray", "5 4");
  marks.append("text").attr("class", "mark").attr("y", markTop).attr("x", d => markAt(d) + (toTheLeft(d) ? -4 : 4))
    .attr("text-anchor", d => toTheLeft(d) ? "end" : "start").text(d => d.text);
  const colour = colours(chart.series.length);
  chart.series.forEach((series, i) => drawSeries(svg, chart, series, x, y, colour(i)));
  if (many) legend(svg, chart, colour, box);
}

function drawSeries(svg, chart, series, x, y, colour) {
  const at = p => x.at(p.x, p.x_text), g = svg.append("g");
  const bounded = series.points.filter(p => p.low !== null && p.low !== undefined);
  if (series.line && bounded.length === series.points.length && bounded.length > 1)
    g.append("path").attr("d", d3.area().x(at).y0(p => y.at(p.low)).y1(p => y.at(p.high))(bounded)).attr("fill", colour).attr("opacity", 0.14);
  if (series.line)
    g.append("path").attr("d", d3.line().x(at).y(p => y.at(p.y))(series.points)).attr("fill", "none").attr("stroke", colour).attr("stroke-width", 1.8);
  g.selectAll("line").data(bounded).enter().append("line").attr("x1", at).attr("x2", at)
    .attr("y1", p => y.at(p.low)).attr("y2", p => y.at(p.high)).attr("stroke", colour).attr("stroke-width", 1.4);
  g.selectAll("circle").data(series.points).enter().append("circle").attr("cx", at).attr("cy", p => y.at(p.y)).attr("r", 4)
    .attr("fill", colour).attr("stroke", "white")
    .on("mousemove", p => showTip(pointTip(chart, series, p))).on("mouseout", hideTip);
}

function pointTip(chart, series, p) {
  const lines = [[chart.x.title, p.x_text]], unit = chart.y.unit;
  if (series.name) lines.push([chart.series_title, series.name]);
  lines.push([chart.y.title, exactText(unit, p.y)]);
  if (p.low !== null && p.low !== undefined) lines.push(["95% interval", exactText(unit, p.low) + " to " + exactText(unit, p.high)]);
  return lines.concat(p.details);
}

function heatMap(figure, map) {
  const left = Math.max(70, 26 + 7.6 * d3.max(map.y_values, v => v.length)), bar = 110;
  const box = { left, right: kWidth - kMargin.right - bar, top: kMargin.top };
  const cell = { width: (box.right - left) / map.x_values.length, height: Math.max(15, Math.min(44, 420 / map.y_values.length)) };
  box.bottom = box.top + cell.height * map.y_values.length;
  const svg = picture(figure, map.title, box.bottom + kMargin.bottom + 8);
  const column = new Map(map.x_values.map((v, i) => [v, i])), row = new Map(map.y_values.map((v, i) => [v, i]));
  const [low, high] = d3.extent(map.cells, c => c.value), text = tickText(map.value.unit, (high - low) / 100 || 1);
  const colour = d3.scaleSequential(d3.interpolateViridis).domain(low === high ? [low - 1, low + 1] : [low, high]);
  const x = c => box.left + column.get(c.x_text) * cell.width, y = c => box.bottom - (row.get(c.y_text) + 1) * cell.height;
  const cells = svg.append("g").selectAll("g").data(map.cells).enter().append("g")
    .on("mousemove", c => showTip([[map.x_title, c.x_text], [map.y_title, c.y_text], [map.value.title, exactText(map.value.unit, c.value)], ...c.details]))
    .on("mouseout", hideTip);
  cells.append("rect").attr("x", x).attr("y", y).attr("width", cell.width - 1).attr("height", cell.height - 1).attr("fill", c => colour(c.value));
  if (cell.width > 9 + 7.2 * d3.max(map.cells, c => text(c.value).length))
    cells.append("text").attr("x", c => x(c) + cell.width / 2).attr("y", c => y(c) + cell.height / 2).attr("dy", "0.35em").attr("text-anchor", "middle")
      .attr("class", "cell").style("fill", c => d3.hcl(colour(c.value)).l > 60 ? kInk : "white").text(c => text(c.value));
  const best = map.cells.find(c => map.best && c.x_text === map.best[0] && c.y_text === map.best[1]);
  if (best) svg.append("rect").attr("x", x(best)).attr("y", y(best)).attr("width", cell.width - 1).attr("height", cell.height - 1)
    .attr("fill", "none").attr("stroke", kMark).attr("stroke-width", 3);
  categories(svg, map.x_values, cell.width, i => box.left + (i + 0.5) * cell.width, box.bottom);
  svg.append("g").selectAll("text").data(map.y_values).enter().append("text").attr("x", box.left - 9).attr("dy", "0.35em").attr("text-anchor", "end")
    .attr("y", (v, i) => box.bottom - (i + 0.5) * cell.height).text(v => v);
  axisTitles(svg, map.x_title, map.y_title, box);
  colourBar(svg, map, colour, low, high, box);
}

// Below the columns: every text, or every second or third where they would touch.
function categories(svg, values, width, at, bottom) {
  const every = Math.ceil((10 + 7.2 * d3.max(values, v => v.length)) / width);
  svg.append("g").selectAll("text").data(values).enter().filter((v, i) => i % every === 0).append("text")
    .attr("x", v => at(values.indexOf(v))).attr("y", bottom + 19).attr("text-anchor", "middle").text(v => v);
}

function colourBar(svg, map, colour, low, high, box) {
  const left = box.right + 22, height = box.bottom - box.top, steps = 40;
  const g = svg.append("g");
  for (let i = 0; i < steps; ++i)
    g.append("rect").attr("x", left).attr("y", box.bottom - (i + 1) * height / steps).attr("width", 14).attr("height", height / steps + 0.5)
      .attr("fill", colour(low + (i + 0.5) / steps * (high - low)));
  const scale = d3.scaleLinear().domain([low, high === low ? low + 1 : high]).range([box.bottom, box.top]), ticks = scale.ticks(Math.max(2, height / 40));
  const text = tickText(map.value.unit, ticks.length > 1 ? ticks[1] - ticks[0] : 1);
  g.selectAll("text").data(ticks).enter().append("text").attr("x", left + 20).attr("y", d => scale(d)).attr("dy", "0.35em").text(text);
  g.append("text").attr("class", "title").attr("x", kWidth - kMargin.right).attr("y", box.top - 22).attr("text-anchor", "end").text(map.value.title);
}

// --- the page ------------------------------------------------------------------------------------------------------

const page = JSON.parse(document.getElementById("data").textContent);
const main = d3.select("main");
main.append("h1").text(page.title);
if (page.subtitle) main.append("p").attr("class", "subtitle").text(page.subtitle);
for (const chart of page.lines) lineChart(main.append("figure"), chart);
for (const map of page.maps) heatMap(main.append("figure"), map);
if (page.note) main.append("p").attr("class", "note").text(page.note);
