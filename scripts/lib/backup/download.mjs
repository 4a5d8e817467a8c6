import { access, constants, mkdir, open, rename } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../failure.mjs";
import { removeAtEnd } from "../temporary.mjs";
import { inOrder, persistently } from "./calls.mjs";
import { firstLine, lastLine, linesOf, sha256 } from "./parts.mjs";

/**
 * Downloads a backup into one file of a folder, and returns its path. The file gets its name only when it is complete
 * and checked. `changed` is called with the share that has arrived.
 */
export async function downloadBackup({ ask, backup, folder, changed }) {
  const read = (name) =>
    persistently(() => ask("GET", `/admin/backups/${backup}/file?name=${encodeURIComponent(name)}`));
  const manifest = JSON.parse(String(await read("manifest.json")));
  const time = new Date(manifest.takenAt).toISOString().replaceAll(":", "-");
  const path = join(folder, `${manifest.id}-${time}.ndjson`);
  const partial = `${path}.partial`;
  const leave = removeAtEnd(partial);
  // Other users of this machine must not read about the people of a project.
  const file = await open(partial, "w", 0o600);
  try {
    await file.write(firstLine(manifest));
    const check = openCheck(manifest);
    for await (const { name, content } of inOrder(namesOf(ask, backup), read)) {
      for (const line of linesOf(name, content)) await file.writeFile(line);
      changed(check.add(name, content));
    }
    await file.write(lastLine(check.end()));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(partial, path);
  leave();
  return path;
}

/** Creates the folder for backups, before any backup is made. Throws Failure when the folder is not writable. */
export async function makeFolder(folder) {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
  } catch (error) {
    throw new Failure(`Nothing can be written to ${folder} (${error.code}).`);
  }
}

async function* namesOf(ask, backup) {
  for (let after = ""; ; ) {
    const page = await persistently(() => ask("GET", `/admin/backups/${backup}/files?limit=100${after}`));
    for (const { name } of page.data) if (name !== "manifest.json") yield name;
    if (!page.hasMore) return;
    after = `&cursor=${encodeURIComponent(page.cursor)}`;
  }
}

/** Compares the received files with the manifest: the hashes of all rows, and the number of stored files. */
function openCheck({ tables, executions, files }) {
  const expected = new Map([
    ...Object.entries(tables).map(([table, tally]) => [`rows/${table}`, tally]),
    ...Object.entries(executions).map(([shard, tally]) => [`executions/${shard}`, tally]),
  ]);
  const total = [...expected.values(), files].reduce((sum, { bytes }) => sum + bytes, 0);
  const hashes = new Map();
  let count = 0;
  let bytes = 0;
  let stored = 0;
  return {
    add(name, content) {
      const series = name.slice(0, name.lastIndexOf("/"));
      if (name.startsWith("files/")) stored++;
      else hashes.set(series, sha256(hashes.get(series) ?? "", content));
      count++;
      bytes += content.length;
      return Math.min(1, bytes / total);
    },
    end() {
      for (const [series, { hash }] of expected) {
        if ((hashes.get(series) ?? "") !== hash) {
          throw new Failure(`The backup is damaged: ${series} has another hash than its manifest says.`);
        }
      }
      if (stored < files.parts) throw new Failure(`The backup is damaged: ${files.parts - stored} files are missing.`);
      return count;
    },
  };
}
