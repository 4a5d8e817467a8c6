import { access, constants, stat } from "node:fs/promises";
import { Failure } from "../failure.mjs";
import { persistently } from "./calls.mjs";
import { partsIn, readFirst } from "./parts.mjs";

/** Checks a whole file of `npm run backup`, then uploads its content. Returns the id of the backup. */
export async function uploadBackup({ ask, path, changed }) {
  const found = await stat(path).catch(cannotRead(path));
  if (!found.isFile()) throw new Failure(`${path} is no file. Name one file of npm run backup -- --to.`);
  await access(path, constants.R_OK).catch(cannotRead(path));
  const manifest = await readFirst(path);
  let total = 0;
  for await (const { content } of partsIn(path)) total += content.length;
  const { id } = await ask("POST", "/admin/backups", { body: {} });
  let bytes = 0;
  for await (const { name, content } of partsIn(path)) {
    await persistently(() => ask("POST", `/admin/backups/${id}/files`, { body: formOf(name, content) }));
    bytes += content.length;
    changed(bytes / total);
  }
  const last = Buffer.from(JSON.stringify(manifest, null, 2));
  await persistently(() => ask("POST", `/admin/backups/${id}/files`, { body: formOf("manifest.json", last) }));
  return id;
}

function cannotRead(path) {
  return (error) => {
    throw new Failure(`${path} cannot be read (${error.code}).`);
  };
}

function formOf(name, content) {
  const form = new FormData();
  form.append("name", name);
  form.append("file", new Blob([content]), "file");
  return form;
}
