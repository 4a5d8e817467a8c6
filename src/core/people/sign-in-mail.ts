import { escapedHtml } from "../templating/html";
import { shownCode } from "./code";

/** The content of an email that the installation itself sends. */
export interface OwnMail {
  subject: string;
  html: string;
  text: string;
}

/**
 * Writes the mail that signs a person in. It comes from the installation, so it is in English and without a project's
 * design.
 */
export function signInMail({ host, url, code }: { host: string; url: string; code: string }): OwnMail {
  const shown = shownCode(code);
  return {
    subject: `${shown} signs you in to Petrel`,
    text: [
      `Somebody asked to sign in to Petrel at ${host} with this address.`,
      `In the browser that asked, type this code:\n\n${shown}`,
      `Or open this link there:\n\n${url}`,
      "Both work once, for 15 minutes. If it was not you, ignore this email: nothing happens without the code or the link.",
    ].join("\n\n"),
    html: `<p>Somebody asked to sign in to Petrel at ${escapedHtml(host)} with this address.</p>
<p>In the browser that asked, type this code:</p>
<p style="font-size:24px;font-family:monospace"><strong>${shown}</strong></p>
<p>Or open this link there: <a href="${escapedHtml(url)}">sign in</a></p>
<p>Both work once, for 15 minutes. If it was not you, ignore this email: nothing happens without the code or the link.</p>`,
  };
}
