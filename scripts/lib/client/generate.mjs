import { hash } from "node:crypto";
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { CLIENT, ROOT } from "../paths.mjs";
import { readDocument } from "./document.mjs";
import { operationsFile } from "./operations-file.mjs";

const GENERATED = join(CLIENT, "src", "generated");
/** A hash of the sources that the generated files were made from. */
const STAMP = join(GENERATED, "made-from");
const SOURCES = ["src/**/*.ts", "scripts/lib/client/*.mjs", "wrangler.toml", "package-lock.json"];

/** Generates the client's types and its table of operations, unless they were generated from the same code. */
export async function generate() {
  const stamp = hash("sha256", globSync(SOURCES, { cwd: ROOT }).toSorted().map(readSource).join("\0"));
  if (existsSync(STAMP) && readFileSync(STAMP, "utf8") === stamp) return;
  rmSync(STAMP, { force: true });
  const { document, errorCodes } = await readDocument();
  await writeTypes(document);
  writeFileSync(join(GENERATED, "operations.gen.ts"), operationsFile({ document, errorCodes }));
  writeFileSync(STAMP, stamp);
}

function readSource(file) {
  return `${file}\0${readFileSync(join(ROOT, file), "utf8")}`;
}

/**
 * The TypeScript compiler as a library, which the package `typescript` no longer is since version 7. Two packages of
 * that name would both install `tsc`.
 */
const COMPILER = "@ts-morph/common/dist/typescript.js";

async function writeTypes(document) {
  registerHooks({ resolve: (name, context, next) => next(name === "typescript" ? COMPILER : name, context) });
  const { createClient } = await import("@hey-api/openapi-ts");
  await createClient({
    // The client has no default address, because each installation has its own.
    input: { ...document, servers: [] },
    output: { path: GENERATED, entryFile: false },
    plugins: ["@hey-api/typescript"],
    logs: { level: "silent", file: false },
  });
}
