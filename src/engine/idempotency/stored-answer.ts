import { utf8Bytes } from "../../core/json";

/** The maximum size of a stored answer, in bytes. A row of D1 is limited to 2 MB. */
const maxStoredBytes = 1_500_000;

/** A resource, some of which have bodies. */
export interface Bodied {
  id: string;
  body?: string | undefined;
  variants?: readonly { body?: string | undefined }[] | null | undefined;
}

/**
 * Returns an answer as it is stored with an idempotency key. `answerWith` makes the answer of a resource. Leaves out
 * the bodies if the answer would not fit into a row with them: the resource still has them.
 */
export function storedAnswer<R extends Bodied>(resource: R, answerWith: (resource: Bodied) => unknown): string {
  const whole = JSON.stringify(answerWith(resource));
  return utf8Bytes(whole) <= maxStoredBytes ? whole : JSON.stringify(answerWith(withoutBodies(resource)));
}

function withoutBodies<R extends Bodied>({ body, variants, ...rest }: R): Bodied {
  return {
    ...rest,
    ...(body === undefined ? {} : { body: "" }),
    ...(variants === undefined ? {} : { variants: variants?.map(({ body: _, ...variant }) => variant) ?? null }),
  };
}
