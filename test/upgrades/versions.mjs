import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { buildBundle } from "../../scripts/lib/bundle.mjs";
import { lastRelease } from "../../scripts/lib/last-release.mjs";
import { ROOT } from "../../scripts/lib/paths.mjs";
import { inTemporaryFolder } from "../../scripts/lib/temporary.mjs";

const cache = join(ROOT, "node_modules", ".cache", "petrel", "last-release");

/** The hash of the last release's commit; null where the clone does not have it, as a shallow one or a download. */
export function lastReleaseCommit() {
  const { status, stdout } = git("rev-parse", "--verify", "--quiet", `${lastRelease.commit}^{commit}`);
  return status === 0 ? stdout.toString().trim() : null;
}

/** What helps when the clone does not have it. */
export const withoutLastRelease = `This clone does not have ${lastRelease.commit}, the last release. Bring it with: git fetch --unshallow --tags`;

/** The bundled Worker of the working tree, in a folder and not minified. */
export async function buildThis(folder) {
  return (await buildBundle(folder, { isMinified: false })).file;
}

/**
 * The bundled Worker of the last release, which is built once and not minified. It gets the packages of the working tree,
 * because those of its own lockfile would have to be fetched.
 */
export async function buildLastRelease(commit) {
  const folder = join(cache, commit);
  const file = join(folder, "worker.js");
  if (existsSync(file)) return file;
  await inTemporaryFolder(async (checkout) => {
    const archive = git("archive", commit);
    const { status } = spawnSync("tar", ["-x", "-C", checkout], { input: archive.stdout });
    if (archive.status !== 0 || status !== 0) throw new Error(`${commit} could not be unpacked`);
    symlinkSync(join(ROOT, "node_modules"), join(checkout, "node_modules"));
    mkdirSync(join(checkout, ".assets"), { recursive: true });
    const built = await buildBundle(join(checkout, "built"), { root: checkout, isMinified: false });
    rmSync(cache, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    cpSync(built.file, file);
  });
  return file;
}

function git(...args) {
  return spawnSync("git", args, { cwd: ROOT, maxBuffer: 2 ** 28 });
}
