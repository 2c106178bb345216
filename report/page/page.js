// Draws every chart of the page, again when its place gets wider or narrower, and writes the tables behind them.
"use strict";

const kKinds = {
  lines: [drawLines, linesTable],
  bars: [drawBars, barsTable],
  distribution: [drawDistribution, distributionTable],
  heat: [drawHeat, heatTable],
};

function draw(plot, chart) {
  const width = Math.floor(plot.node().clientWidth);
  if (width === 0 || plot.attr("data-width") === String(width)) return;
  hideTip();
  plot.attr("data-width", width).selectAll("*").remove();
  kKinds[chart.kind][0](plot, chart, width);
}

d3.selectAll("figure.chart").each(function () {
  const figure = d3.select(this), chart = page.charts[Number(figure.attr("data-chart"))];
  const plot = figure.append("div").attr("class", "plot");
  draw(plot, chart);
  tableBehind(figure, kKinds[chart.kind][1](chart));
  new ResizeObserver(() => draw(plot, chart)).observe(plot.node());
});
document.getElementById("incomplete").remove();
