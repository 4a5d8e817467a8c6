import { escapedHtml } from "../templating/html";
import type { OwnMail } from "./sign-in-mail";

interface Invitation {
  /** This installation. */
  origin: string;
  url: string;
  /** How the person who invites is called; null for the operator. */
  by: string | null;
  /** The name of the project; null for an invitation to the installation. */
  project: string | null;
}

/** The mail that invites a person. Like the mail that signs in, it is the installation's own. */
export function invitationMail({ origin, url, by, project }: Invitation): OwnMail {
  const named = project?.replace(/\s+/g, " ") ?? null;
  const what = named === null ? "Petrel" : `the project ${named} in Petrel`;
  const invites = `${by ?? "The operator"} invites you to ${what} at ${new URL(origin).host}.`;
  const later = `The link works once, for seven days. Later, sign in at ${origin}/console with this address.`;
  return {
    subject: named === null ? "You are invited to Petrel" : `You are invited to ${named}`,
    text: [invites, `Open this link to sign in:\n\n${url}`, later].join("\n\n"),
    html: `<p>${escapedHtml(invites)}</p>
<p><a href="${escapedHtml(url)}">Sign in</a></p>
<p>${escapedHtml(later)}</p>`,
  };
}
