import { dayMs, minuteMs } from "../time";

/** How long a session lives after its last use. */
export const sessionMs = 30 * dayMs;

/** How a person showed who they are. */
export type SignInMethod = "link" | "code" | "passkey";

/** How long the link and the code of a mail live. */
export const mailedLinkMs = 15 * minuteMs;
/** How long the link of an invitation lives. */
export const invitationMs = 7 * dayMs;
/** How long a link that was printed in a terminal lives. */
export const printedLinkMs = dayMs;

/** How often a code may be typed wrong. */
export const maxTries = 5;
