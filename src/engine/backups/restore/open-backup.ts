import { z } from "zod";
import type { Blobs } from "../../../platform/blobs";
import { backupFormat, Manifest, manifestKey } from "../manifest";
import { BadBackup } from "./bad-backup";

/** The files have a format that this version cannot read. The message is a sentence for the operator. */
export class UnknownFormat extends Error {
  override readonly name = "UnknownFormat";
}

const AnyManifest = z.object({ format: z.unknown() });

/** Reads the manifest of a complete backup. Throws BadBackup, and UnknownFormat. */
export async function openBackup(blobs: Blobs, folder: string): Promise<Manifest> {
  const key = manifestKey(folder);
  const file = await blobs.get(key);
  if (file === null) throw new BadBackup(`The file ${key} is missing.`);
  return readManifest(key, file);
}

/** Reads the content of a manifest. Throws BadBackup, and UnknownFormat. */
export function readManifest(key: string, file: Uint8Array): Manifest {
  const written = readJson(new TextDecoder().decode(file));
  const { success: isManifest, data: header } = AnyManifest.safeParse(written);
  if (!isManifest) throw new BadBackup(`The file ${key} is not the manifest of a backup.`);
  if (header.format !== backupFormat) {
    throw new UnknownFormat(
      `The backup has the format ${JSON.stringify(header.format)}, and this version of Petrel reads format ${backupFormat}.`,
    );
  }
  const manifest = Manifest.safeParse(written);
  if (!manifest.success) throw new BadBackup(`The file ${key} is damaged: ${z.prettifyError(manifest.error)}`);
  return manifest.data;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
