import { z } from "zod";
import type { Warning } from "../warning";

/** The result of `confirm: true`. */
export const confirmationResults = ["sent", "throttled", "already"] as const;
export type ConfirmationResult = (typeof confirmationResults)[number];

export const Confirm = z
  .boolean()
  .optional()
  .meta({
    description:
      "Double opt-in: `true` mails the project's confirmation template to a contact that is not subscribed, who is " +
      "subscribed by the button behind `{{ confirmUrl }}`, and not before. 409 without such a template. `subscribed: true` " +
      "next to it is ignored.",
  });

export const Confirmation = z.enum(confirmationResults).meta({
  description:
    "Present after `confirm: true`. `already`: the contact is subscribed, and nothing was sent. `throttled`: nothing was " +
    "sent, because a contact gets one such mail an hour and three a day, a project sends a limited number for its public " +
    "keys, and its month may be used up.",
});

/** The lifetime of the link in a confirmation mail. The texts of `core/languages` say the same. */
export const confirmationDays = 7;

/** The two windows that limit the confirmation mails of one contact. */
export const confirmationsPerHour = 1;
export const confirmationsPerDay = 3;

/** The warning for a call with both `subscribed: true` and `confirm: true`. */
export const confirmGoesFirst: Warning = {
  field: "subscribed",
  message:
    "Not used together with confirm: true. The contact is subscribed when this person presses the button in the confirmation mail.",
};
