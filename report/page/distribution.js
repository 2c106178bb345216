// How runs are distributed over a value: a histogram, and below it the share of runs up to each value, with percentiles.
"use strict";

function drawDistribution(plot, of, width) {
  const text = tickText(of.value.unit, (of.edges[of.edges.length - 1] - of.edges[0]) / 200);
  legend(plot, "", of.percentiles.map(([name, value]) => ({ name: `${name}: ${text(value)}`, kind: "text" })));
  const svg = drawing(plot, width, 10, of.title + ": histogram, and share of runs up to each value");
  const rows = of.percentiles.length, counts = { title: "runs", unit: "number", scale: "linear" }, shares = { title: "share", unit: "percent", scale: "linear" };
  const top = 8 + kLine + kMarkRow * rows, bottom = top + 150;
  const y = numberAxis(counts, [0, d3.max(of.counts)], [bottom, top], [0, 0.05], true);
  y.ticks = y.ticks.filter(t => Number.isInteger(t.value));
  const second = bottom + 30 + kLine, end = second + 150, z = numberAxis(shares, [0, 1], [end, second], [0, 0.02], true);
  const left = Math.ceil(Math.max(widest(y.ticks.map(t => t.text)), widest(z.ticks.map(t => t.text)))) + 12;
  const x = numberAxis(of.value, [of.edges[0], of.edges[of.edges.length - 1]], [left + 2, width - 8], [0.01, 0.02]);
  addLines(svg, ["Runs"], 0, kLine - 3, "start", "title");
  addLines(svg, ["Share of runs up to a value"], 0, second - 12, "start", "title");
  for (const tick of x.ticks) svg.append("line").attr("class", "grid").attr("x1", tick.at).attr("x2", tick.at).attr("y1", top).attr("y2", bottom);
  const below = drawBelow(svg, x, second, end, of.value.title, left, width, width);
  drawLeft(svg, y, left, width);
  drawLeft(svg, z, left, width);
  const bins = of.counts.map((count, i) => ({ count, low: of.edges[i], high: of.edges[i + 1] }));
  svg.append("g").selectAll("rect").data(bins).enter().append("rect").attr("class", "bin").attr("x", d => x.at(d.low)).attr("width", d => Math.max(0.5, x.at(d.high) - x.at(d.low) - 1))
    .attr("y", d => y.at(d.count)).attr("height", d => bottom - y.at(d.count)).style("fill", colour(0));
  const line = d3.line().curve(d3.curveStepAfter).x(d => x.at(d[0])).y(d => z.at(d[1]));
  svg.append("path").attr("class", "line").attr("d", line([[of.cdf[0][0], 0], ...of.cdf])).style("stroke", colour(0));
  const marks = of.percentiles.map(([name, value]) => ({ x: value, x_text: "", text: name }));
  drawMarkLines(svg, { marks }, x, top, bottom, left, width);
  svg.append("g").selectAll("line").data(of.percentiles).enter().append("line").attr("class", "mark-line").attr("x1", d => x.at(d[1])).attr("x2", d => x.at(d[1])).attr("y1", second).attr("y2", end);
  makeMarks(svg.selectAll(".bin"), d => binTip(of, d));
  setHeight(svg, width, end + below);
}

function binTip(of, bin) {
  return [[of.value.title, exactText(of.value.unit, bin.low) + " to " + exactText(of.value.unit, bin.high)],
          ["runs", `${bin.count} of ${of.runs}`], ["share of runs", exactText("percent", bin.count / of.runs)]];
}

function distributionTable(of) {
  const unit = of.value.unit, text = value => exactText(unit, value), rows = of.percentiles.map(([name, value]) => [name, text(value), ""]);
  of.counts.forEach((count, i) => rows.push(["runs", text(of.edges[i]) + " to " + text(of.edges[i + 1]), String(count)]));
  if (of.gave_up > 0) rows.push(["runs", "gave up", String(of.gave_up)]);
  return { header: ["", of.value.title, "runs"], rows };
}
