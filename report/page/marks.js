// What a reader points at or reaches with the keyboard: marks with tooltips, legends, and the tables behind charts.
"use strict";

// Okabe and Ito's colours, which people with any colour vision can tell apart (https://jfly.uni-koeln.de/color/), with a darker yellow; page.css has
// them. Lines also differ in their dashes, so that print without colours does.
const kColours = 8, kDashes = ["", "7 3", "2 3", "9 3 2 3", "5 5", "1 2", "12 4", "3 6"];
function colour(i) { return `var(--series-${i % kColours})`; }
function dash(i) { return kDashes[i % kDashes.length]; }

const tip = d3.select("body").append("div").attr("class", "tip").attr("aria-hidden", "true");

// Shows lines of [name, value] beside a mark.
function showTip(node, lines) {
  tip.selectAll("*").remove();
  for (const [name, value] of lines) {
    const line = tip.append("div");
    if (name) line.append("span").attr("class", "name").text(name + " ");
    line.append("span").text(value);
  }
  const of = node.getBoundingClientRect(), box = tip.node().getBoundingClientRect();
  const x = Math.min(Math.max(8, of.left + of.width / 2 - box.width / 2), Math.max(8, document.documentElement.clientWidth - box.width - 8));
  const above = of.top - box.height - 10;
  tip.style("left", x + "px").style("top", (above >= 8 ? above : of.bottom + 10) + "px").classed("shown", true);
}
function hideTip() { tip.classed("shown", false); }

// Makes elements marks: one of a chart is reached by Tab, the others from it by the arrows, Home and End. `lines`: of the tooltip.
function makeMarks(selection, lines) {
  const nodes = selection.nodes();
  const words = d => lines(d).map(([name, value]) => name ? name + ": " + value : value).join("; ");
  selection.classed("mark", true).attr("role", "img").attr("tabindex", (d, i) => i === 0 ? 0 : -1).attr("aria-label", words)
    .on("mouseenter", function (d) { showTip(this, lines(d)); }).on("mouseleave", hideTip)
    .on("focus", function (d) { showTip(this, lines(d)); }).on("blur", hideTip)
    .on("keydown", function () {
      const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -nodes.length, End: nodes.length };
      const key = d3.event.key, at = nodes.indexOf(this);
      if (key === "Escape") hideTip();
      if (!(key in steps)) return;
      d3.event.preventDefault();
      const next = nodes[Math.max(0, Math.min(nodes.length - 1, at + steps[key]))];
      this.setAttribute("tabindex", -1);
      next.setAttribute("tabindex", 0);
      next.focus();
    });
}

// Names with a sample of what they look like. `entries`: {name, kind: "line" | "box" | "dot" | "band" | "strip" | "outline" | "star" | "text", index}.
function legend(parent, title, entries) {
  if (entries.length === 0) return;
  const list = parent.append("ul").attr("class", "legend");
  if (title) list.append("li").attr("class", "legend-title").text(title);
  for (const { name, kind, index } of entries) {
    const item = list.append("li");
    if (kind === "text") { item.append("span").text(name); continue; }
    const sample = item.append("svg").attr("width", 22).attr("height", 12).attr("aria-hidden", "true");
    if (kind === "line")
      sample.append("line").attr("x2", 22).attr("y1", 6).attr("y2", 6).style("stroke", colour(index)).style("stroke-width", 2.5).attr("stroke-dasharray", dash(index));
    else if (kind === "dot") sample.append("path").attr("transform", "translate(11,6)").attr("d", shape(index)).style("fill", colour(index));
    else if (kind === "band" || kind === "strip") sample.append("rect").attr("class", "band " + kind).attr("width", 22).attr("height", 12);
    else if (kind === "outline") outlinePath(sample, "M3,1H19V11H3Z");
    else if (kind === "star") star(sample, 11, 6, 45);
    else sample.append("rect").attr("x", 4).attr("width", 12).attr("height", 12).style("fill", colour(index));
    item.append("span").text(name);
  }
}

const kShapes = [d3.symbolCircle, d3.symbolSquare, d3.symbolTriangle, d3.symbolDiamond, d3.symbolCross, d3.symbolStar, d3.symbolWye, d3.symbolCircle];
function shape(index, size = 50) { return d3.symbol().type(kShapes[index % kShapes.length]).size(size)(); }

// A line that is seen on cells of any colour.
function outlinePath(parent, path) {
  parent.append("path").attr("class", "outline-halo").attr("d", path);
  parent.append("path").attr("class", "outline").attr("d", path);
}
function star(parent, x, y, size) {
  return parent.append("path").attr("class", "star").attr("transform", `translate(${x},${y})`).attr("d", d3.symbol().type(d3.symbolStar).size(size)());
}

// A new drawing, as wide as its place, so that labels have the same size on every screen.
function drawing(plot, width, height, words) {
  return plot.append("svg").attr("viewBox", `0 0 ${width} ${height}`).attr("role", "group").attr("aria-roledescription", "chart").attr("aria-label", words);
}
// Its height is known once it is drawn.
function setHeight(svg, width, height) { svg.attr("viewBox", `0 0 ${width} ${Math.ceil(height)}`).attr("height", Math.ceil(height)); }

// {header, rows} as a table that a reader opens.
function tableBehind(figure, { header, rows }) {
  const details = figure.append("details").attr("class", "behind");
  details.append("summary").text("Table");
  const table = details.append("div").attr("class", "scroll").attr("tabindex", 0).attr("role", "region").attr("aria-label", "Table of the chart").append("table");
  table.append("thead").append("tr").selectAll("th").data(header).enter().append("th").attr("scope", "col").text(d => d);
  table.append("tbody").selectAll("tr").data(rows).enter().append("tr").selectAll("td").data(d => d).enter().append("td")
    .classed("number", d => /^[\u2212$-]?[0-9]/.test(d)).text(d => d);
}

// The names of all details, in the order in which they first appear.
function detailNames(all) { return [...new Set(all.flatMap(each => (each.details || []).map(([name]) => name)))]; }
function detailCells(names, of) {
  const found = new Map();
  for (const [name, value] of of.details || []) found.set(name, found.has(name) ? found.get(name) + ", " + value : value);
  return names.map(name => found.get(name) || "");
}
