import { dayMs, minuteMs } from "../time";

/** How long a session lasts after its last use. */
export const sessionMs = 30 * dayMs;

/** How a person proved who they are. */
export type SignInMethod = "link" | "code" | "passkey" | "access";

/** How long a mailed link and its code are valid. */
export const mailedLinkMs = 15 * minuteMs;
/** How long the link of an invitation is valid. */
export const invitationMs = 7 * dayMs;
/** How long a link printed in a terminal is valid. */
export const printedLinkMs = dayMs;

/** The number of wrong tries after which a code stops working. */
export const maxTries = 5;
