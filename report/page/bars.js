// Horizontal bars: one value each, several below each other, stacked, or dots with a line between them.
"use strict";

const kNarrow = 560;  // pixels: below, the name of a bar stands above it
const kBar = 15;      // height of a bar

function partText(chart, part) { return part === null ? "" : exactText(chart.value.unit, part.value); }

// What stands at the right of a bar: a line for each part, or the sum of stacked ones.
function valueTexts(chart, bar, text) {
  const parts = bar.parts.filter(part => part !== null);
  if (chart.form === "stacked") return [text(d3.sum(parts, part => part.value))];
  if (chart.form === "dots") return [parts.map(part => partText(chart, part)).join(" / ")];
  return bar.parts.map(part => part === null ? "" : text(part.value));
}

function drawBars(plot, chart, width) {
  if (chart.bars.length === 0) { plot.append("p").text("There is nothing to draw."); return; }
  const many = chart.series.length > 1, narrow = width < kNarrow;
  legend(plot, "", many ? chart.series.map((name, i) => ({ name, kind: chart.form === "dots" ? "dot" : "box", index: i })) : []);
  const svg = drawing(plot, width, 10, chart.title + ": " + chart.value.title + " by " + chart.bars_title);
  const alike = alikeText(chart.value.unit, barValues(chart)), texts = chart.bars.map(bar => valueTexts(chart, bar, alike)), valueWidth = Math.ceil(widest(d3.merge(texts))) + 10;
  const nameWidth = narrow ? 0 : Math.ceil(Math.min(width * 0.36, widest(chart.bars.map(bar => bar.name)))) + 12;
  const left = nameWidth + 2, right = narrow ? width - 8 : width - valueWidth;
  const slots = chart.form === "beside" ? chart.series.length : 1, slot = slots > 1 ? kBar : kBar + 1;
  const height = (narrow ? kLine + 3 : 0) + slots * slot + (slots > 1 || narrow ? 11 : 8), top = 6, bottom = top + height * chart.bars.length;
  const x = numberAxis(chart.value, barValues(chart), [left, narrow && slots > 1 ? width - valueWidth : right], [0.03, 0.03], chart.form !== "dots");
  const below = drawBelow(svg, x, top, bottom, chart.value.title, left, right, width);
  if (chart.form !== "dots") svg.append("line").attr("class", "zero").attr("x1", x.at(0)).attr("x2", x.at(0)).attr("y1", top).attr("y2", bottom);
  const items = [];
  chart.bars.forEach((bar, row) => {
    const y = top + row * height, g = svg.append("g");
    if (narrow) g.append("text").attr("class", "bar-name").attr("x", 0).attr("y", y + kLine - 2).text(shortened(bar.name, width - (slots > 1 ? 0 : valueWidth) - 6));
    else g.append("text").attr("class", "bar-name").attr("x", nameWidth - 8).attr("y", y + slots * slot / 2 + 4).attr("dy", "0.35em").attr("text-anchor", "end").text(shortened(bar.name, nameWidth - 12));
    const begin = y + (narrow ? kLine + 3 : 4);
    texts[row].forEach((text, i) => g.append("text").attr("class", "bar-value").attr("x", width).attr("text-anchor", "end")
      .attr("y", narrow && slots === 1 ? y + kLine - 2 : begin + i * slot + slot / 2).attr("dy", narrow && slots === 1 ? 0 : "0.35em").text(text));
    drawParts(g, chart, bar, x, begin, slot, items);
  });
  makeMarks(svg.selectAll(".part").data(items), d => barTip(chart, d));
  setHeight(svg, width, bottom + below);
}

function barValues(chart) {
  if (chart.form === "stacked") return [0, ...chart.bars.map(bar => d3.sum(bar.parts, part => part === null ? 0 : part.value))];
  const parts = d3.merge(chart.bars.map(bar => bar.parts)).filter(part => part !== null);
  return d3.merge(parts.map(part => part.low === undefined ? [part.value] : [part.value, part.low, part.high]));
}

function drawParts(g, chart, bar, x, begin, slot, items) {
  let sum = 0;
  const present = bar.parts.filter(part => part !== null), middle = begin + slot / 2;
  if (chart.form === "dots" && present.length > 1)
    g.append("line").attr("class", "span").attr("x1", d3.min(present, p => x.at(p.value))).attr("x2", d3.max(present, p => x.at(p.value))).attr("y1", middle).attr("y2", middle);
  bar.parts.forEach((part, i) => {
    if (part === null) return;
    items.push({ bar, part, series: chart.series[i] });
    if (chart.form === "dots") {
      g.append("path").attr("class", "part dot").attr("transform", `translate(${x.at(part.value)},${middle})`).attr("d", shape(i, 64)).style("fill", colour(i));
      return;
    }
    const from = chart.form === "stacked" ? sum : 0, to = from + part.value, y = chart.form === "beside" ? begin + i * slot : begin;
    sum = to;
    g.append("rect").attr("class", "part").attr("x", Math.min(x.at(from), x.at(to))).attr("width", Math.max(0.5, Math.abs(x.at(to) - x.at(from)) - (chart.form === "stacked" ? 0.5 : 0)))
      .attr("y", y + 1).attr("height", slot - 2).style("fill", colour(i));
    if (part.low !== undefined && part.low !== part.high) whisker(g, x.at(part.low), x.at(part.high), y + slot / 2);
  });
}

function whisker(g, low, high, y) {
  g.append("path").attr("class", "whisker-halo").attr("d", `M${low},${y}H${high}`);
  g.append("path").attr("class", "whisker").attr("d", `M${low},${y - 4}V${y + 4}M${low},${y}H${high}M${high},${y - 4}V${y + 4}`);
}

function barTip(chart, { bar, part, series }) {
  const lines = [[chart.bars_title, bar.name]], interval = intervalText(chart.value.unit, part);
  lines.push([series || chart.value.title, exactText(chart.value.unit, part.value)]);
  if (interval) lines.push(["95% interval", interval]);
  return lines.concat(part.details || []);
}

function barsTable(chart) {
  const parts = d3.merge(chart.bars.map(bar => bar.parts)).filter(part => part !== null), names = detailNames(parts);
  const cell = part => { const interval = part && intervalText(chart.value.unit, part); return partText(chart, part) + (interval ? ` (${interval})` : ""); };
  const value = chart.series.length > 1 ? chart.series : [chart.value.title];
  return { header: [chart.bars_title, ...value, ...names],
           rows: chart.bars.map(bar => [bar.name, ...bar.parts.map(cell), ...detailCells(names, { details: bar.parts.flatMap(part => part && part.details || []) })]) };
}
