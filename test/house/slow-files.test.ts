import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { choose } from "../../scripts/commands/test.mjs";
import { captureTool } from "../../scripts/lib/tools.mjs";
import { slowFiles } from "../../test/slow-files.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url).href);
const files = globSync("test/**/*.test.ts", { cwd: root }).toSorted();
const turns = [7, 8, 9, 10];

/** The files that vitest would run. */
async function listed(options: string[]): Promise<string[]> {
  const list = ["list", "--filesOnly", "--json", "--config", "test/vitest.config.ts", ...options];
  const { code, stdout } = await captureTool("vitest", list);
  expect(code).toBe(0);
  const found: { file: string }[] = JSON.parse(stdout);
  return found.map(({ file }) => file.slice(root.length)).toSorted();
}

it("has every file in a run with `--all`, and in one with `--deep`", async () => {
  expect(choose(["--deep"], 7).options).toEqual(choose(["--all"], 7).options);
  expect(await listed(choose(["--all"], 7).options)).toEqual(files);
}, 120_000);

it("has each slow file in one of four runs after four commits, and each other file in all of them", async () => {
  const left = turns.map((turn) => choose([], turn).options.map((option) => option.replace("--exclude=", "")));
  const runs = left.map((without) => files.filter((file) => !without.includes(file)));
  const times = (file: string) => runs.flat().filter((one) => one === file).length;
  expect(files.map((file) => [file, times(file)])).toEqual(
    files.map((file) => [file, slowFiles.includes(file) ? 1 : turns.length]),
  );
  expect(await listed(choose([], 8).options)).toEqual(runs[1]);
}, 120_000);

it("knows no slow file that is gone, and none twice", () => {
  expect(slowFiles.filter((file, at) => !files.includes(file) || slowFiles.indexOf(file) !== at)).toEqual([]);
});

it("runs a file that is named, and a test that is named, whichever files' turn it is", () => {
  const [slowest = ""] = slowFiles;
  for (const turn of turns) {
    expect(choose([slowest], turn).options).toEqual([slowest]);
    expect(choose(["-t", "seed 57"], turn).options).toEqual(["-t", "seed 57"]);
  }
});

it.each([2, 3, 4, 6])("has every one of %i parts of a slow file's cases within as many of its turns", (of) => {
  const partOf = (turn: number) => Number(choose([], turn).env.PETREL_TEST_TURN) % of;
  for (const turn of turns)
    expect(new Set(Array.from({ length: of }, (_, round) => partOf(turn + 4 * round))).size).toBe(of);
});
