import { bold, dim, green, yellow } from "../scripts/lib/screen.mjs";

/**
 * Prints two columns of figures and their ratio, which is what counts, because machines differ, and so do their
 * moments. `ratios` contains the ratio of each turn's own pair, for callers that measured in turns.
 */
export function compare({ title, ours, bare, aims, ratios = {}, names = { ours: "Petrel", bare: "bare" } }) {
  console.log(`\n${bold(title)}`);
  const width = Math.max(...Object.keys(ours).map((name) => name.length));
  console.log(dim(`  ${"".padEnd(width)}  ${cell(names.ours)}  ${cell(names.bare)}  ${"ratio".padStart(6)}`));
  for (const [name, { value, unit }] of Object.entries(ours)) {
    const ratio = ratios[name] ?? value / bare[name].value;
    const verdict = aims[name] === undefined ? "" : judged(meets(ratio, aims[name]), aims[name]);
    console.log(
      `  ${name.padEnd(width)}  ${cell(show(value, unit))}  ${cell(show(bare[name].value, unit))}  ${ratio.toFixed(2).padStart(6)}  ${verdict}`,
    );
  }
}

/** Prints a column of figures for each name, in the order of `rows`, and whether the last one meets its row's aim. */
export function table({ title, names, figures, rows = Object.keys(figures[0]), aims = {} }) {
  const width = Math.max(...rows.map((row) => row.length));
  console.log(`\n${bold(title)}`);
  console.log(dim(`  ${"".padEnd(width)}  ${names.map(cell).join("  ")}`));
  for (const row of rows) {
    const cells = figures.map((column) => cell(show(column[row].value, column[row].unit)));
    const verdict =
      aims[row] === undefined ? "" : `  ${judged(meets(figures.at(-1)[row].value, aims[row]), aims[row])}`;
    console.log(`  ${row.padEnd(width)}  ${cells.join("  ")}${verdict}`);
  }
}

/** Prints one column of figures of one unit. */
export function column(title, figures, unit) {
  const cells = Object.entries(figures).map(([name, value]) => [name, { value, unit }]);
  table({ title, names: [unit === "$" ? "dollars" : unit], figures: [Object.fromEntries(cells)] });
}

/** Prints a single figure without a comparison. */
export function single(title, value, unit, aim) {
  console.log(`\n${bold(title)}\n  ${value.toFixed(2)} ${unit}  ${judged(meets(value, aim), aim)}`);
}

function judged(isMet, aim) {
  return (isMet ? green : yellow)(`${isMet ? "met" : "missed"} (aim ${aim})`);
}

function meets(ratio, aim) {
  const [sign, limit] = aim.split(" ");
  return sign === "≤" ? ratio <= Number(limit) : ratio >= Number(limit);
}

const finely = ["ms", "rows", "‰", "$"];

function show(value, unit) {
  return `${value.toFixed(finely.includes(unit) ? 2 : 0)} ${unit}`;
}

function cell(text) {
  return text.padStart(10);
}
