import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { BIN, ROOT } from "../../../scripts/lib/paths.mjs";
import type { Product } from "../product";
import type { Block } from "./read";
import { stepOf } from "./steps";

/** A page that waits for what never comes is ended, with a fault that names its block. */
export const maxPageMs = 110_000;

const here = join(ROOT, "test", "product", "blocks");

/** A project as a reader has one, with a domain of its own in place of petrel.test. */
interface Reader {
  secret: string;
  publicKey: string;
  domain: string;
}

/**
 * Runs all blocks of a page in their order, as one reader would: in one shell, against a project of their own. Throws
 * with the line of the first block that does not do what the page says.
 */
export async function runBlocks(name: string, blocks: Block[], product: Product, packages: string | null = null) {
  const folder = mkdtempSync(join(tmpdir(), "petrel-page-"));
  try {
    const reader = await newReader(name, product);
    const script = write(folder, blocks, (code) => filledIn(code, product, reader));
    if (packages) symlinkSync(packages, join(folder, "node_modules"));
    else linkPackages(folder);
    const env = {
      ...process.env,
      PATH: BIN + delimiter + process.env.PATH,
      BASE: product.base,
      SECRET: reader.secret,
      PUBLIC: reader.publicKey,
      ADMIN_TOKEN: product.adminToken,
      DOMAIN: reader.domain,
    };
    await promisify(execFile)("bash", ["-c", script], { cwd: folder, env, timeout: maxPageMs });
  } catch (error) {
    const { stderr = "", message } = error as Error & { stderr?: string };
    const [, line] = [...stderr.matchAll(/^@@ (\d+)$/gm)].at(-1) ?? [];
    const said = stderr.replaceAll(/^@@ \d+\n/gm, "").trim();
    throw new Error(`The block of line ${line ?? "?"} fails: ${said || message}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function write(folder: string, blocks: Block[], fill: (code: string) => string): string {
  const lines = [prelude];
  for (const [number, block] of blocks.entries()) {
    const step = stepOf({ ...block, code: fill(block.code) }, { number, before: blocks[number - 1] });
    for (const [file, content] of Object.entries(step.files)) writeFileSync(join(folder, file), content);
    lines.push(`echo "@@ ${block.line}" >&2`, ...step.lines);
  }
  for (const file of ["helper.mjs", "fits.mjs"]) cpSync(join(here, file), join(folder, file));
  return lines.join("\n");
}

/** The shell of a reader whose curl says when a call was refused. What runs in its background ends with the page. */
const prelude = `set -euo pipefail
helper() { node helper.mjs "$@"; }
curl() {
  local status
  # A reader waits for the import that an earlier block began.
  while
    status=$(command curl -sS -o answer -w '%{http_code}' "$@")
    grep -qs 'This import is still running' answer
  do sleep 0.5; done
  cat answer
  echo
  [[ $status == $expected ]] || { echo "$status: $(cat answer)" >&2; return 1; }
}
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
expected='2*'`;

/** The page shows no real keys, and its installation is the reader's. */
function filledIn(
  code: string,
  { base, adminToken, receiverPort }: Product,
  { secret, publicKey, domain }: Reader,
): string {
  return code
    .replaceAll(/http:\/\/localhost:8080|https:\/\/mail\.acme\.com/g, base)
    .replaceAll(/(?<=localhost:|listen\()3000\b/g, String(receiverPort))
    .replaceAll("sk_…", secret)
    .replaceAll("pk_…", publicKey)
    .replaceAll("ADMIN_TOKEN=…", `ADMIN_TOKEN=${adminToken}`)
    .replaceAll("petrel.test", domain);
}

function linkPackages(folder: string): void {
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(join(ROOT, "node_modules", "@plunk"), join(folder, "node_modules", "@plunk"));
}

async function newReader(name: string, { base, adminToken }: Product): Promise<Reader> {
  async function post<T>(token: string, path: string, body: unknown): Promise<T> {
    const headers = { Authorization: `Bearer ${token}` };
    const response = await fetch(base + path, { method: "POST", headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    // What both calls answer.
    return (await response.json()) as T;
  }
  const { keys } = await post<{ keys: { secret: string; public: string } }>(adminToken, "/admin/projects", { name });
  const domain = `${name}-page.test`;
  await post(keys.secret, "/domains", { domain });
  return { secret: keys.secret, publicKey: keys.public, domain };
}
