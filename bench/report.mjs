import { bold, dim, green, yellow } from "../scripts/lib/screen.mjs";

/** Prints two columns of figures and their ratio, which is what counts: machines differ, and so do their moments. */
export function compare({ title, ours, bare, aims }) {
  console.log(`\n${bold(title)}`);
  const width = Math.max(...Object.keys(ours).map((name) => name.length));
  console.log(dim(`  ${"".padEnd(width)}  ${cell("Petrel")}  ${cell("bare")}  ${"ratio".padStart(6)}`));
  for (const [name, { value, unit }] of Object.entries(ours)) {
    const ratio = value / bare[name].value;
    const isMet = meets(ratio, aims[name]);
    const verdict = (isMet ? green : yellow)(`${isMet ? "met" : "missed"} (aim ${aims[name]})`);
    console.log(
      `  ${name.padEnd(width)}  ${cell(show(value, unit))}  ${cell(show(bare[name].value, unit))}  ${ratio.toFixed(2).padStart(6)}  ${verdict}`,
    );
  }
}

/** Prints one figure that has nothing to stand beside. */
export function single(title, value, unit, aim) {
  const isMet = meets(value, aim);
  const verdict = (isMet ? green : yellow)(`${isMet ? "met" : "missed"} (aim ${aim})`);
  console.log(`\n${bold(title)}\n  ${value.toFixed(2)} ${unit}  ${verdict}`);
}

function meets(ratio, aim) {
  const [sign, limit] = aim.split(" ");
  return sign === "≤" ? ratio <= Number(limit) : ratio >= Number(limit);
}

function show(value, unit) {
  return `${value.toFixed(unit === "ms" ? 2 : 0)} ${unit}`;
}

function cell(text) {
  return text.padStart(10);
}
