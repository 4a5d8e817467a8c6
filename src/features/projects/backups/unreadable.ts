import { Invalid } from "../../../core/errors";
import type { Manifest } from "../../../engine/backups/manifest";
import { BadBackup } from "../../../engine/backups/restore/bad-backup";
import { openBackup, UnknownFormat } from "../../../engine/backups/restore/open-backup";
import type { Platform } from "../../../platform/context";

/** Reads the manifest of a backup. Throws Invalid when this version cannot read it, or its files are gone. */
export async function openReadable({ blobs }: Platform, folder: string): Promise<Manifest> {
  try {
    return await openBackup(blobs, folder);
  } catch (error) {
    throw unreadable(error);
  }
}

/** Turns the error of a backup that this version cannot read into a refusal. Returns any other error as it is. */
export function unreadable(error: unknown, field = "backup"): unknown {
  if (error instanceof UnknownFormat)
    return invalid(field, `${error.message} Restore it with the version of Petrel that made it.`);
  return error instanceof BadBackup ? invalid(field, error.message) : error;
}

function invalid(field: string, message: string): Invalid {
  return new Invalid([{ field, code: "custom", message }]);
}
