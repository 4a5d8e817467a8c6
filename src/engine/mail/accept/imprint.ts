import type { EmailType } from "../../../core/mail/status";
import type { Warning } from "../../../core/warning";
import type { Context } from "../../../platform/context";

const laws = "Many countries' laws require it: the operator can set it with PATCH /admin/projects/{id}.";

const noPostalAddress: Warning = {
  field: "postalAddress",
  message: `The project has no postalAddress, so the footer of its marketing email cannot show one. ${laws}`,
};

const noCompany: Warning = {
  field: "company",
  message: `The project has no company, so the footer of its marketing email does not say who sends it. ${laws}`,
};

export const imprintWarnings = { missing_postal_address: noPostalAddress, missing_company: noCompany };

/**
 * Returns a detail that the project lacks but the footer of this type of email needs. If both are missing, returns the
 * address.
 */
export function missingImprint({ project }: Context, type: EmailType): keyof typeof imprintWarnings | null {
  if (type !== "MARKETING") return null;
  if (project.postalAddress === null) return "missing_postal_address";
  return project.company === null ? "missing_company" : null;
}
