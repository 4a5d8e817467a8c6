import { Invalid } from "../../../core/errors";
import { BadBackup } from "../../../engine/backups/restore/bad-backup";
import { UnknownFormat } from "../../../engine/backups/restore/open-backup";

/** Returns the refusal of a backup that this version cannot read; any other error as it is. */
export function unreadable(error: unknown, field = "backup"): unknown {
  if (error instanceof UnknownFormat)
    return invalid(field, `${error.message} Restore it with the version that made it.`);
  return error instanceof BadBackup ? invalid(field, error.message) : error;
}

function invalid(field: string, message: string): Invalid {
  return new Invalid([{ field, code: "custom", message }]);
}
