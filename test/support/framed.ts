import { inDocument, kindOf } from "../../src/core/mail/document";

/** The HTML of a mail whose body, as it was written or rendered, is this. */
export function framed(output: string, language = "en"): string {
  return inDocument(output, kindOf({ output, frame: null, values: [] }), language);
}
