// A map of cells whose colour is a value, with a region that is outlined. The colours are those of cividis, which people with any colour
// vision read alike (Nunez, Anderton, Renslow, PLOS ONE 13(7), 2018).
"use strict";

function drawHeat(plot, map, width) {
  const [low, high] = d3.extent([...map.cells.map(c => c.value), ...map.at_least]), text = tickText(map.value.unit, (high - low) / 40 || 1);
  legend(plot, "", [...(map.cells.some(c => c.outlined) ? [{ name: map.outline_title, kind: "outline" }] : []), ...(map.best ? [{ name: "best", kind: "star" }] : [])]);
  const svg = drawing(plot, width, 10, `${map.title}: ${map.value.title} by ${map.x_title} and ${map.y_title}`);
  const scale = d3.scaleSequential(d3.interpolateCividis).domain(low === high ? [low - 1, low + 1] : [low, high]);
  const top = colourBar(svg, map, scale, low, high, width) + addLines(svg, textLines(map.y_title, width, 2, 600), 0, 62, "start", "title") * kLine;
  const left = Math.ceil(Math.min(width * 0.3, widest(map.y_values))) + 10;
  const cell = { width: (width - left) / map.x_values.length, height: Math.max(20, Math.min(40, 420 / map.y_values.length)) };
  const bottom = top + cell.height * map.y_values.length;
  const column = new Map(map.x_values.map((v, i) => [v, i])), row = new Map(map.y_values.map((v, i) => [v, i]));
  const x = c => left + column.get(c.x_text) * cell.width, y = c => bottom - (row.get(c.y_text) + 1) * cell.height;
  const g = svg.append("g");
  g.selectAll("rect").data(map.cells).enter().append("rect").attr("class", "cell").attr("x", x).attr("y", y).attr("width", cell.width - 1).attr("height", cell.height - 1).style("fill", c => scale(c.value));
  const fits = cell.width > 8 + widest(map.cells.map(c => text(c.value)));
  const best = map.cells.find(c => map.best && c.x_text === map.best[0] && c.y_text === map.best[1]);
  if (fits)
    g.selectAll("text").data(map.cells).enter().append("text").attr("class", "cell-text").attr("x", c => x(c) + cell.width / 2).attr("y", c => y(c) + cell.height / 2).attr("dy", "0.35em").attr("text-anchor", "middle")
      .style("fill", c => d3.hcl(scale(c.value)).l > 55 ? "#14181d" : "#ffffff").text(c => text(c.value));
  outline(svg, map, cell, x, y);
  if (best) star(svg, x(best) + (fits ? 8 : cell.width / 2), y(best) + (fits ? 8 : cell.height / 2), fits ? 42 : 70);
  const below = drawBelow(svg, thinned(map.x_values, cell.width, left), bottom, bottom, map.x_title, left, width, width);
  svg.append("g").selectAll("text").data(map.y_values).enter().append("text").attr("class", "tick").attr("x", left - 8).attr("dy", "0.35em").attr("text-anchor", "end")
    .attr("y", (v, i) => bottom - (i + 0.5) * cell.height).text(v => shortened(v, left - 8));
  makeMarks(svg.selectAll(".cell"), c => heatTip(map, c));
  setHeight(svg, width, bottom + below);
}

// Below the columns: every text, or every second or third where they would touch.
function thinned(values, width, left) {
  const every = Math.max(1, Math.ceil((kGap + widest(values)) / width));
  return { ticks: values.map((text, i) => ({ at: left + (i + 0.5) * width, text, i })).filter(tick => tick.i % every === 0) };
}

// The edges between outlined cells and others, as one path.
function outline(svg, map, cell, x, y) {
  const column = new Map(map.x_values.map((v, i) => [v, i])), row = new Map(map.y_values.map((v, i) => [v, i]));
  const outlined = new Set(map.cells.filter(c => c.outlined).map(c => column.get(c.x_text) + "|" + row.get(c.y_text)));
  if (outlined.size === 0) return;
  let path = "";
  for (const c of map.cells) {
    if (!c.outlined) continue;
    const i = column.get(c.x_text), j = row.get(c.y_text), l = x(c) - 0.5, t = y(c) - 0.5, r = l + cell.width, b = t + cell.height;
    if (!outlined.has((i - 1) + "|" + j)) path += `M${l},${t}V${b}`;
    if (!outlined.has((i + 1) + "|" + j)) path += `M${r},${t}V${b}`;
    if (!outlined.has(i + "|" + (j + 1))) path += `M${l},${t}H${r}`;
    if (!outlined.has(i + "|" + (j - 1))) path += `M${l},${b}H${r}`;
  }
  outlinePath(svg, path);
}

// What the colours mean, above the map; gives its height.
function colourBar(svg, map, scale, low, high, width) {
  const steps = 48, length = Math.min(width, 360), text = tickText(map.value.unit, (high - low) / 20 || 1), g = svg.append("g");
  addLines(svg, [shortened(map.value.title, width, 600)], 0, kLine - 3, "start", "title");
  for (let i = 0; i < steps; ++i)
    g.append("rect").attr("x", i * length / steps).attr("y", 18).attr("width", length / steps + 0.5).attr("height", 8).style("fill", scale(low + (i + 0.5) / steps * (high - low)));
  const ends = [[low, 0, "start"], ...(high > low ? [[high, length, "end"]] : [])];
  for (const [value, at, anchor] of ends) g.append("text").attr("class", "tick").attr("x", at).attr("y", 40).attr("text-anchor", anchor).text(text(value));
  return 55;
}

function heatTip(map, cell) {
  const best = map.best && cell.x_text === map.best[0] && cell.y_text === map.best[1];
  return [[map.x_title, cell.x_text], [map.y_title, cell.y_text], [map.value.title, exactText(map.value.unit, cell.value)], ...(best ? [["", "best"]] : []), ...(cell.details || [])];
}

function heatTable(map) {
  const names = detailNames(map.cells);
  return { header: [map.x_title, map.y_title, map.value.title, ...names],
           rows: map.cells.map(c => [c.x_text, c.y_text, exactText(map.value.unit, c.value), ...detailCells(names, c)]) };
}
