import { type Id, textOf } from "../ids";

/**
 * Returns the name of a file with a body of a campaign. It begins with the campaign's id, so that a sweep finds the
 * row that uses the file. `fileId` is new with each body.
 */
export function bodyFileName(campaignId: Id, fileId: Id): string {
  return `${textOf(campaignId)}.${textOf(fileId)}`;
}

/** Returns the stored id of the campaign that a file belongs to. Null for files of version 1.0.0, which do not say it. */
export function campaignOfFile(name: string): string | null {
  const [campaign = "", file] = name.split(".");
  return file === undefined ? null : campaign;
}
