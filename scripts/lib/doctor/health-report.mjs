import { bold, dim, green, oneLine, red, wrapped, yellow } from "../screen.mjs";

const PAINTS = { ok: green, warn: yellow, fail: red };
const VERDICTS = {
  ok: `${green("●")} ${bold("Petrel is healthy")}`,
  warn: `${yellow("!")} ${bold("Petrel needs a look today")}`,
  fail: `${red("✗")} ${bold("Petrel needs help now")}`,
};
const MARGIN = "  ";

/** Formats all checks, one line each. A check that is not ok has its finding and the fix below. */
export function healthReport(base, health) {
  const { version, checkedAt, checks } = health;
  const about = wrapped(oneLine(`${base}, version ${version}, checked at ${checkedAt}`), `${MARGIN}  `);
  return [verdict(health), `${MARGIN}  ${dim(about)}`, "", ...linesOf(checks), ""].join("\n");
}

/** Formats the verdict, and only the checks that are not ok. */
export function healthNews(health) {
  const found = health.checks.filter(({ status }) => status !== "ok");
  return [verdict(health), ...(found.length > 0 ? ["", ...linesOf(found)] : []), ""].join("\n");
}

function verdict({ status, checks }) {
  const counts = Object.entries(PAINTS).map(([state, paint]) => {
    const count = checks.filter((check) => check.status === state).length;
    return count > 0 ? paint(`${count} ${state}`) : null;
  });
  return `${MARGIN}${VERDICTS[status]}: ${counts.filter((count) => count !== null).join(", ")}`;
}

function linesOf(checks) {
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks.flatMap((check) => linesOfOne(check, width));
}

function linesOfOne({ name, status, summary, detail, mend }, width) {
  const title = `${MARGIN}${PAINTS[status](status.padEnd(4))}  ${oneLine(name).padEnd(width)}  `;
  const indent = " ".repeat(MARGIN.length + 4 + 2 + width + 2);
  const first = title + wrapped(oneLine(summary), indent);
  if (status === "ok") return [first];
  return [
    first,
    ...(detail ? [indent + dim(wrapped(oneLine(detail), indent))] : []),
    ...(mend ? [`${indent}→ ${wrapped(oneLine(mend), `${indent}  `)}`] : []),
  ];
}
