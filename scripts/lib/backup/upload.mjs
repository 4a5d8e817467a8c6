import { stat } from "node:fs/promises";
import { Failure } from "../failure.mjs";
import { persistently } from "./calls.mjs";
import { partsIn, readFirst } from "./parts.mjs";

/** Checks a file of `npm run backup` as a whole, then uploads what is in it. Returns the id of the backup. */
export async function uploadBackup({ ask, path, changed }) {
  await stat(path).catch((error) => {
    throw new Failure(`${path} cannot be read (${error.code}).`);
  });
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

function formOf(name, content) {
  const form = new FormData();
  form.append("name", name);
  form.append("file", new Blob([content]), "file");
  return form;
}
