import { z } from "zod";
import { storable } from "../storable";

/** The sender's company and address in the footer of marketing mail. */
export interface Imprint {
  company: string | null;
  /** The address, with its line breaks. */
  postalAddress: string | null;
}

const maxCompanyLength = 200;
const maxAddressLength = 500;
const maxAddressLines = 10;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for control characters
const controlCharacter = /[\u0000-\u001f\u007f]/;

const withoutControls = {
  message: "May not contain control characters",
  params: { code: "invalid_string" },
};

/** The schema of a company's name; null when it is empty. */
export const Company = z
  .string()
  .max(maxCompanyLength)
  .refine(...storable)
  .refine((name) => !controlCharacter.test(name), withoutControls)
  .transform((name) => linesOf(name).join(" ") || null);

/** The schema of a postal address of a few lines, trimmed; null when it is empty. */
export const PostalAddress = z
  .string()
  .max(maxAddressLength)
  .refine(...storable)
  .refine((address) => !controlCharacter.test(address.replace(/[\t\r\n]/g, "")), withoutControls)
  .refine((address) => linesOf(address).length <= maxAddressLines, {
    message: `At most ${maxAddressLines} lines`,
    params: { code: "too_big" },
  })
  .transform((address) => linesOf(address).join("\n") || null);

/** Returns the lines with the sender's name and address; none when the project has neither. */
export function imprintLines({ company, postalAddress }: Imprint): string[] {
  return [...linesOf(company ?? ""), ...linesOf(postalAddress ?? "")];
}

function linesOf(text: string): string[] {
  return text.split(/\r\n|\r|\n/).flatMap((line) => line.replace(/\s+/g, " ").trim() || []);
}
