import { access, constants, stat } from "node:fs/promises";
import { Failure } from "../failure.mjs";
import { persistently } from "./calls.mjs";
import { partsIn, readFirst, sha256 } from "./parts.mjs";

/** Checks a whole file of `npm run backup`, then uploads its content. Returns the id of the backup. */
export async function uploadBackup({ ask, path, changed }) {
  const found = await stat(path).catch(cannotRead(path));
  if (!found.isFile()) throw new Failure(`${path} is no file. Name one file of npm run backup -- --to.`);
  await access(path, constants.R_OK).catch(cannotRead(path));
  const manifest = await readFirst(path);
  let total = 0;
  for await (const { content } of partsIn(path)) total += content.length;
  const { id } = await ask("POST", "/admin/backups", { body: {} });
  const store = (name, content) => {
    const query = new URLSearchParams({ name, sha256: sha256(content) });
    return persistently(() => ask("PUT", `/admin/backups/${id}/file?${query}`, { body: content }));
  };
  let bytes = 0;
  for await (const { name, content } of partsIn(path)) {
    await store(name, content);
    bytes += content.length;
    changed(bytes / total);
  }
  await store("manifest.json", Buffer.from(JSON.stringify(manifest, null, 2)));
  return id;
}

function cannotRead(path) {
  return (error) => {
    throw new Failure(`${path} cannot be read (${error.code}).`);
  };
}
