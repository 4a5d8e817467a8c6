import { Untrusted } from "../../../core/errors";
import { sameSecret } from "../../../core/keys";
import { type Reporter, readReport } from "../reporter";
import { readPostmarkEvent, readPostmarkInbound } from "./notices";
import type { PostmarkSettings } from "./settings";

/** Verifies calls of Postmark, which are not signed but contain the user and password of the webhook's URL. */
export function postmarkReporter({ user, password }: NonNullable<PostmarkSettings["webhook"]>): Reporter {
  const expected = `Basic ${base64(`${user}:${password}`)}`;
  return async ({ header, body }) => {
    if (!(await sameSecret(header("Authorization") ?? "", expected))) {
      throw new Untrusted("The webhook's user and password are missing or not valid.");
    }
    return readReport(body, { report: readPostmarkEvent, received: readPostmarkInbound });
  };
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
