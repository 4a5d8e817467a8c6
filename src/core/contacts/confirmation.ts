import { z } from "zod";
import type { Warning } from "../warning";

/** The possible results of `confirm: true` in a call. */
export const confirmationResults = ["sent", "throttled", "already"] as const;
export type ConfirmationResult = (typeof confirmationResults)[number];

export const Confirm = z
  .boolean()
  .optional()
  .meta({
    description:
      "Double opt-in: `true` mails the project's confirmation template to a contact that is not " +
      "subscribed. The contact is only subscribed when the person presses the button on the page at `{{ " +
      "confirmUrl }}`. 409 if the project has no such template. `subscribed: true` in the same call is " +
      "ignored.",
  });

export const Confirmation = z.enum(confirmationResults).meta({
  description:
    "The result of `confirm: true`. `sent`: the confirmation mail is on its way. `already`: the contact " +
    "is subscribed, so nothing was sent. `throttled`: nothing was sent, because of a limit: one " +
    "confirmation mail per contact an hour and three a day, and for the project, those by public keys " +
    "and all mail of the month.",
});

/** For how many days the link in a confirmation mail works. The texts in `core/languages` repeat this number. */
export const confirmationDays = 7;

/** The limits on confirmation emails to one contact, per hour and per day. */
export const confirmationsPerHour = 1;
export const confirmationsPerDay = 3;

/** The warning for a call that sends both `subscribed: true` and `confirm: true`. */
export const confirmGoesFirst: Warning = {
  field: "subscribed",
  message:
    "Not used together with confirm: true. The contact is subscribed when this person presses the button in the confirmation mail.",
};
