import { z } from "zod";
import type { SnoozeDuration } from "../../core/contacts/snooze";

/** The pauses that recipients can choose; the API has more. */
export const pauses = ["14d", "1m", "3m", "6m"] as const satisfies readonly SnoozeDuration[];
export type Pause = (typeof pauses)[number];

/** The form that the buttons of the manage page post. */
export const Choice = z.discriminatedUnion("action", [
  z.object({ action: z.enum(["subscribe", "unsubscribe", "unsnooze"]) }),
  z.object({ action: z.literal("snooze"), duration: z.enum(pauses) }),
  z.object({ action: z.enum(["join", "leave"]), topic: z.string() }),
]);
export type Choice = z.infer<typeof Choice>;
