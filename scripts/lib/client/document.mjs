import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { ROOT } from "../paths.mjs";
import { readWranglerToml } from "../wrangler-toml.mjs";

const entry = `
  export { answerRequest } from "./src/app";
  export { errorCodes } from "./src/http/error-codes";
`;

/**
 * Replaces the platform's modules. The classes of Durable Objects extend one of the platform's classes, but the
 * document needs no Durable Objects.
 */
const withoutPlatform = {
  name: "without the platform",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^cloudflare:/ }, ({ path }) => ({ path, namespace: "platform" }));
    onLoad({ filter: /./, namespace: "platform" }, () => ({ contents: "export class DurableObject {}" }));
  },
};

/** Returns the OpenAPI document and its error codes from the code itself, without a running Worker. */
export async function readDocument() {
  const folder = mkdtempSync(join(tmpdir(), "petrel-document-"));
  try {
    const file = join(folder, "app.mjs");
    writeFileSync(file, await bundle());
    const { answerRequest, errorCodes } = await import(file);
    const answer = await answerRequest(new Request("https://mail.example.com/openapi.json"), environment(), {
      waitUntil() {},
    });
    if (!answer.ok) throw new Error(`The document could not be made: ${await answer.text()}`);
    return { document: await answer.json(), errorCodes: Object.keys(errorCodes) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function bundle() {
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: ROOT },
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    // The same conditions as wrangler's.
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*"],
    logLevel: "error",
    plugins: [withoutPlatform],
  });
  return outputFiles[0].text;
}

function environment() {
  return { ...readWranglerToml().vars, DB: {}, FLOOD_BRAKE: { limit: async () => ({ success: true }) } };
}
