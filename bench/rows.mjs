import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bold, dim, green, yellow } from "../scripts/lib/screen.mjs";
import { captureTool } from "../scripts/lib/tools.mjs";

const config = "test/vitest.config.ts";
const figures = "test/flows/rows-written.test.ts";

/**
 * Prints the rows that operations write, as D1 counts and charges them, and the bytes that they store. The test of
 * their limits measures them, and they are the same on every machine.
 */
export async function benchRows() {
  const folder = mkdtempSync(join(tmpdir(), "petrel-rows-"));
  const report = join(folder, "report.json");
  try {
    const reporting = ["--reporter=json", `--outputFile=${report}`];
    const { code, output } = await captureTool("vitest", ["run", "--config", config, figures, ...reporting]);
    // An exceeded limit fails the test and is shown; without figures there is nothing to show.
    if (code !== 0) console.log(output);
    show(JSON.parse(readFileSync(report, "utf8")));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function show({ testResults }) {
  const measured = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ meta }) => meta.measured)
    .map(({ ancestorTitles, title, meta }) => ({ name: `${ancestorTitles.join(" ")} ${title}`, ...meta.measured }));
  const width = Math.max(...measured.map(({ name }) => name.length));
  console.log(`\n${bold("Rows written and bytes stored, each")}`);
  console.log(dim(`  ${"".padEnd(width)}  ${"rows".padStart(6)}  ${"bytes".padStart(6)}  bound`));
  for (const { name, rows, bytes, bound } of measured) {
    const isMet = (rows ?? bytes) <= bound;
    console.log(
      `  ${name.padEnd(width)}  ${cell(rows, 2)}  ${cell(bytes, 0)}  ${(isMet ? green : yellow)(`≤ ${bound}`)}`,
    );
  }
}

function cell(figure, digits) {
  return (figure === undefined ? "" : String(Number(figure.toFixed(digits)))).padStart(6);
}
