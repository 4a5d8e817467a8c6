import { type Id, textOf } from "../ids";
import { openSealedText, sealText } from "../sealed-text";

/** The campaign that was checked. `projectId` is the project's UUID. */
interface Checked {
  projectId: string;
  campaignId: Id;
}

/** The version of the campaign that was checked, and when the check expires. */
export interface PreflightStamp {
  version: number;
  expiresAt: number;
}

/**
 * Makes the token of a finished pre-flight check. It is sealed for the campaign, so it does not open for another
 * campaign and cannot be forged.
 */
export function sealPreflight(secrets: readonly string[], checked: Checked, stamp: PreflightStamp): Promise<string> {
  return sealText(secrets, ownerOf(checked), `${stamp.version} ${stamp.expiresAt}`);
}

/** Opens a token. Returns null when we did not make it for this campaign. */
export async function openPreflight(
  secrets: readonly string[],
  checked: Checked,
  token: string,
): Promise<PreflightStamp | null> {
  const text = await openSealedText(secrets, ownerOf(checked), token);
  if (text === null) return null;
  const [version, expiresAt] = text.split(" ").map(Number);
  return version === undefined || expiresAt === undefined ? null : { version, expiresAt };
}

function ownerOf({ projectId, campaignId }: Checked): string {
  return `preflight ${projectId} ${textOf(campaignId)}`;
}
