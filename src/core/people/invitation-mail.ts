import { escapedHtml } from "../templating/html";
import type { OwnMail } from "./sign-in-mail";

interface Invitation {
  /** The origin of this installation. */
  origin: string;
  url: string;
  /** The name of the person who invites; null for the operator. */
  by: string | null;
  /** The name of the project; null for an invitation to the installation. */
  project: string | null;
}

/** Writes the mail that invites a person. Like sign-in mail, it comes from the installation and not from a project. */
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
