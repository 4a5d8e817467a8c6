import { NotFound } from "../../core/errors";
import { type Id, publicId } from "../../core/ids";
import { iso, isoOrNull } from "../../core/time";
import type { PersonRow } from "../../db/tables";

export function personJson({ id, email, name, locale, isOwner, createdAt, lastSeenAt }: PersonRow) {
  const times = { createdAt: iso(createdAt), lastSeenAt: isoOrNull(lastSeenAt) };
  return { id: publicId(id), email, name, locale, role: isOwner ? ("owner" as const) : null, ...times };
}

export function noPerson(id: Id): NotFound {
  return new NotFound("person", publicId(id));
}
