// Numbers as people read them. Each is in its base unit: a share, seconds, bytes, bytes per second, money.
"use strict";

const page = JSON.parse(document.getElementById("data").textContent);
const kTimes = [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];

function duration(seconds) {
  if (seconds === 0) return "0s";
  if (seconds < 0) return "\u2212" + duration(-seconds);
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

function trim(value, digits) { return d3.format("." + digits + "~r")(value).replace("-", "\u2212"); }

function si(value, unit, digits = 3) {
  if (value === 0) return "0 " + unit;
  const text = d3.format(`.${digits}~s`)(value), last = text[text.length - 1];
  return /[0-9]/.test(last) ? text + " " + unit : text.slice(0, -1) + " " + last + unit;
}

// As reports write it: "4.59 M USD", with so many digits. `text` gives a size below a million.
function money(value, digits, text) {
  const sign = value < 0 ? "\u2212" : "", size = Math.abs(value);
  return sign + (size >= 1e6 ? si(size, "", digits).replace("G", "B") : text(size)) + " " + page.currency;
}

// The text of ticks that lie `step` apart. Times up to `largest` have one unit; those of a logarithmic axis have each its own.
function tickText(unit, step, largest) {
  switch (unit) {
    case "percent": {
      const digits = Math.min(6, Math.max(0, d3.precisionFixed(step * 100)));
      return value => (value * 100).toFixed(digits).replace("-", "\u2212") + "%";
    }
    case "duration": {
      if (!largest) return duration;
      const [name, size] = timeUnit(largest), digits = Math.min(6, Math.max(0, d3.precisionFixed(step / size)));
      return value => fixedText(value / size, digits) + " " + name;
    }
    case "bytes": return value => si(value, "B");
    case "bandwidth": return value => si(value, "B/s");
    case "money": {
      const digits = Math.min(4, Math.max(0, d3.precisionFixed(step)));
      return value => money(value, 3, d3.format(",." + digits + "f"));
    }
    default: return value => (Math.abs(value) >= 1e6 ? d3.format(".3~s")(value).replace("G", "B") : d3.format(",")(+value.toPrecision(9))).replace("-", "\u2212");
  }
}

// With enough digits to compare neighbours.
function exactText(unit, value) {
  switch (unit) {
    case "percent": return trim(value * 100, 4) + "%";
    case "duration": return Math.abs(value) >= 3 * 86400 ? trim(value / 86400, 4) + " days" : Math.abs(value) >= 7200 ? trim(value / 3600, 4) + " h" : Math.abs(value) < 60 ? duration(+value.toPrecision(3)) : duration(value);
    case "bytes": return si(value, "B");
    case "bandwidth": return si(value, "B/s");
    case "money": return money(value, 4, v => d3.format(v >= 1000 ? ",.0f" : ",.2f")(v));
    default: return d3.format(",")(+value.toPrecision(4)).replace("-", "\u2212");
  }
}

// Times of one chart in one unit, so that they can be held against each other: with three digits of the largest.
function alikeText(unit, values) {
  const largest = d3.max(values, Math.abs) || 0;
  if (unit !== "duration" || largest === 0) return value => exactText(unit, value);
  const [name, size] = timeUnit(largest), digits = Math.max(1, 2 - Math.floor(Math.log10(largest / size)));
  return value => fixedText(value / size, digits) + " " + name;
}

// In which times up to that one are given, as in report/units.cpp: its name, and how many seconds it has.
function timeUnit(largest) {
  return [["days", 3 * 86400, 86400], ["h", 7200, 3600], ["min", 120, 60], ["s", 1, 1], ["ms", 1e-3, 1e-3], ["\u00b5s", 0, 1e-6]]
    .filter(([, from]) => largest >= from).map(([each, , divisor]) => [each, divisor])[0];
}

function fixedText(value, digits) { return value.toFixed(digits).replace(/^-(?=[0.]*$)/, "").replace("-", "\u2212"); }

function intervalText(unit, of) {
  return of.low === undefined || of.low === of.high ? "" : exactText(unit, of.low) + " to " + exactText(unit, of.high);
}
