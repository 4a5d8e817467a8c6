import { z } from "zod";
import { FilterCondition } from "../../../core/audience/condition";
import { Contact } from "../../contacts/schema";
import { exampleCondition } from "../schema";

const { example: contact } = Contact.meta() ?? {};

export const PreviewSegment = z
  .object({ condition: FilterCondition })
  .meta({ id: "PreviewSegment", example: { condition: exampleCondition } });

export const SegmentPreview = z
  .object({
    count: z.number().int(),
    sample: z.array(Contact).meta({ description: "The newest matches among the scanned contacts, at most 10." }),
    approximate: z
      .literal(true)
      .optional()
      .meta({
        description:
          "Present when `count` is an estimate: the project has more than 100,000 contacts to scan, and the call scanned " +
          "100,000 of them in ten parts, spread evenly from newest to oldest. With very many filters it scans fewer.",
      }),
  })
  .meta({ id: "SegmentPreview", example: { count: 1, sample: [contact] } });
