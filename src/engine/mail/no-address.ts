import type { EmailType } from "../../core/mail/status";
import type { Warning } from "../../core/warning";
import type { Context } from "../../platform/context";

/** For calls that send marketing email of a project without a postal address. */
export const noPostalAddress: Warning = {
  field: "postalAddress",
  message:
    "The project has no postalAddress, so the footer of its marketing email cannot show one. Many countries' laws ask for it: " +
    "the operator sets it with PATCH /admin/projects/{id}.",
};

/** Whether email of this type should show a postal address, and the project has none. */
export function lacksAddress({ project }: Context, type: EmailType): boolean {
  return type === "MARKETING" && project.postalAddress === null;
}
