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
    count: z
      .number()
      .int()
      .nullable()
      .meta({
        description:
          "The number of contacts that match. Null if only some of the contacts were scanned and none of them " +
          "matches.",
      }),
    atLeast: z
      .number()
      .int()
      .optional()
      .meta({ description: "The number of matches found. Present if `count` is null." }),
    sample: z.array(Contact).meta({ description: "The newest matches among the scanned contacts, at most 10." }),
    approximate: z
      .literal(true)
      .optional()
      .meta({
        description:
          "Present if `count` is an estimate or null. A preview is exact in a project of up to 250,000 " +
          "contacts, and in a larger one if a filter, such as one on an event or a segment, leaves no more " +
          "than that to scan. Otherwise it scans 250,000 contacts, spread evenly from newest to oldest. With " +
          "more than about twenty filters on events, segments or topics, these limits are lower.",
      }),
  })
  .meta({ id: "SegmentPreview", example: { count: 1, sample: [contact] } });
