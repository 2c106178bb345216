// y against x: lines, steps or points alone, with intervals, marks and bands.
"use strict";

const kMarkRow = 17;         // of the labels of marks, above the chart
const kManyBands = 40;
const kManyPoints = 80;      // from so many on, points are seen only when a reader points at them

function drawLines(plot, chart, width) {
  const points = d3.merge(chart.series.map(s => s.points));
  if (points.length === 0) { plot.append("p").text("There is nothing to draw."); return; }
  const many = chart.series.length > 1, lined = chart.series.some(s => s.line !== "none");
  legend(plot, many ? chart.series_title : "", [
    ...(many ? chart.series.map((s, i) => ({ name: s.name, kind: lined ? "line" : "dot", index: i })) : []),
    ...(chart.bands.length > 0 ? [{ name: chart.bands_title, kind: chart.bands.length > kManyBands ? "strip" : "band" }] : [])]);
  const svg = drawing(plot, width, 10, chart.title + ": " + chart.y.title + " by " + chart.x.title);
  const words = textLines(chart.y.title, width, 2, 600);
  const top = 8 + addLines(svg, words, 0, kLine - 3, "start", "title") * kLine + kMarkRow * chart.marks.length;
  const bottom = top + Math.max(170, Math.min(330, width * 0.5));
  const heights = d3.merge(points.map(p => p.low === undefined ? [p.y] : [p.y, p.low, p.high]));
  const share = chart.y.unit === "percent" && d3.min(heights) >= 0 && d3.max(heights) <= 1;
  const y = numberAxis(chart.y, heights, [bottom, top], share && d3.max(heights) > 0.97 ? [0.04, 0.03] : [0.04, 0.08], chart.y.scale !== "logarithmic" && d3.min(heights) === 0);
  const left = Math.ceil(widest(y.ticks.map(t => t.text))) + 12;
  const x = horizontalAxis(chart, points, left, width);
  drawBands(svg, chart, x, top, bottom);
  const below = drawBelow(svg, x, top, bottom, chart.x.title, left, width, width);
  drawLeft(svg, y, left, width);
  drawMarkLines(svg, chart, x, top, bottom, left, width);
  chart.series.forEach((series, i) => drawSeries(svg, series, x, y, i, many, width < 560 ? 26 : points.length > kManyPoints ? 40 : 60));
  makeMarks(svg.selectAll(".point"), d => pointTip(chart, d.series, d.point));
  setHeight(svg, width, bottom + below);
}

function horizontalAxis(chart, points, left, width) {
  const texts = [...new Set(points.map(p => p.x_text))];
  if (chart.x.scale === "category") return wordAxis(texts, [left, width]);
  return numberAxis(chart.x, [...points.map(p => p.x), ...chart.bands.flat(), ...(chart.x.span || [])], [left + 4, width - 8], [0.01, 0.02]);
}

// Shaded from the top to the bottom; many bands are a strip at the bottom, so that lines can be seen between them.
function drawBands(svg, chart, x, top, bottom) {
  const many = chart.bands.length > kManyBands, begin = many ? bottom - 9 : top;
  svg.append("g").selectAll("rect").data(chart.bands).enter().append("rect").attr("class", many ? "band strip" : "band").attr("y", begin).attr("height", bottom - begin)
    .attr("x", d => x.at(d[0])).attr("width", d => Math.max(0.75, x.at(d[1]) - x.at(d[0])));
}

// Each label on a line of its own: the farther to the left, the higher, so that no label lies on another or on the line of a mark to its
// right.
function drawMarkLines(svg, chart, x, top, bottom, left, right) {
  const marks = [...chart.marks].sort((a, b) => b.x - a.x), g = svg.append("g");
  marks.forEach((mark, row) => {
    const at = x.at(mark.x, mark.x_text), y = top - 5 - kMarkRow * row, room = Math.max(at - left, right - at) - 6;
    const text = shortened(mark.text, room, 600), toTheLeft = at + textWidth(text, 600) + 6 > right;
    g.append("line").attr("class", "mark-line").attr("x1", at).attr("x2", at).attr("y1", y - 9).attr("y2", bottom);
    g.append("text").attr("class", "mark-label").attr("x", at + (toTheLeft ? -5 : 5)).attr("y", y).attr("text-anchor", toTheLeft ? "end" : "start").text(text);
  });
}

// `size`: of points without a line, in square pixels.
function drawSeries(svg, series, x, y, i, many, size) {
  const at = p => x.at(p.x, p.x_text), g = svg.append("g"), points = series.points, stroke = colour(i);
  const bounded = points.filter(p => p.low !== undefined), lined = series.line !== "none";
  const curve = series.line === "steps" ? d3.curveStepAfter : d3.curveLinear;
  if (lined && bounded.length === points.length && bounded.length > 1)
    g.append("path").attr("class", "area").attr("d", d3.area().curve(curve).x(at).y0(p => y.at(p.low)).y1(p => y.at(p.high))(bounded)).style("fill", stroke);
  if (lined && points.length > 1)
    g.append("path").attr("class", "line").attr("d", d3.line().curve(curve).x(at).y(p => y.at(p.y))(points)).style("stroke", stroke).attr("stroke-dasharray", many ? dash(i) : null);
  if (points.length <= kManyPoints)
    g.selectAll("line").data(bounded).enter().append("line").attr("class", "interval").attr("x1", at).attr("x2", at)
      .attr("y1", p => y.at(p.low)).attr("y2", p => y.at(p.high)).style("stroke", stroke);
  g.selectAll(".point").data(points.map(point => ({ series, point }))).enter().append("path")
    .attr("class", points.length > kManyPoints && lined ? "point faint" : "point")
    .attr("transform", d => `translate(${at(d.point)},${y.at(d.point.y)})`).attr("d", shape(lined ? 0 : i, lined ? 46 : size)).style("fill", stroke);
}

function pointTip(chart, series, p) {
  const lines = [[chart.x.title, p.x_text]], unit = chart.y.unit, interval = intervalText(unit, p);
  if (series.name) lines.push([chart.series_title, series.name]);
  lines.push([chart.y.title, exactText(unit, p.y)]);
  if (interval) lines.push(["95% interval", interval]);
  return lines.concat(p.details || []);
}

// A row for each x; of several series a column for each.
function linesTable(chart) {
  const unit = chart.y.unit, points = d3.merge(chart.series.map(s => s.points));
  if (chart.series.length === 1) {
    const names = detailNames(points), bounded = points.some(p => p.low !== undefined);
    return { header: [chart.x.title, chart.y.title, ...(bounded ? ["95% interval"] : []), ...names],
             rows: points.map(p => [p.x_text, exactText(unit, p.y), ...(bounded ? [intervalText(unit, p)] : []), ...detailCells(names, p)]) };
  }
  const rows = new Map();
  chart.series.forEach((series, i) => {
    for (const p of series.points) {
      const key = p.x + "|" + p.x_text, interval = intervalText(unit, p);
      if (!rows.has(key)) rows.set(key, { x: p.x, cells: [p.x_text, ...chart.series.map(() => "")] });
      rows.get(key).cells[i + 1] = exactText(unit, p.y) + (interval ? ` (${interval})` : "");
    }
  });
  const all = [...rows.values()];
  if (chart.x.scale !== "category") all.sort((a, b) => a.x - b.x);
  return { header: [chart.x.title, ...chart.series.map(s => s.name)], rows: all.map(row => row.cells) };
}
