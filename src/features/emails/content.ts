import { Conflict, Gone } from "../../core/errors";
import type { Id } from "../../core/ids";
import { loadBody } from "../../engine/mail/body";
import { contentGone, findContent } from "../../engine/mail/content";
import { contentJson, isUnrenderable } from "../../engine/mail/render";
import type { Context } from "../../platform/context";
import { getEmail } from "./email";

/** Returns the content of an email: as it was sent, or as it would be rendered now if it was never tried. */
export async function readContent(ctx: Context, id: Id) {
  const email = await getEmail(ctx, id);
  const found = await findContent(ctx, email);
  const body = found && (await loadBody(ctx, found.content));
  if (!found || body === null) throw new Gone(contentGone);
  try {
    return contentJson(ctx, email, { ...found.content, body }, found.contact);
  } catch (error) {
    if (!isUnrenderable(error)) throw error;
    throw notRendered(error.message);
  }
}

export function notRendered(reason: string): Conflict {
  return new Conflict(`This email cannot be rendered: ${reason}`);
}
