import { z } from "zod";
import type { SnoozeDuration } from "../../core/contacts/snooze";

/** How long a recipient may pause their mail for; the API knows more lengths. */
export const pauses = ["14d", "1m", "3m", "6m"] as const satisfies readonly SnoozeDuration[];
export type Pause = (typeof pauses)[number];

/** What the buttons of the manage page post. */
export const Choice = z.discriminatedUnion("action", [
  z.object({ action: z.enum(["subscribe", "unsubscribe", "unsnooze"]) }),
  z.object({ action: z.literal("snooze"), duration: z.enum(pauses) }),
]);
export type Choice = z.infer<typeof Choice>;
