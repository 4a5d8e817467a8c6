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
    count: z.number().int().nullable().meta({
      description: "Null when only a part of the contacts was scanned, and none of these matches. See `approximate`.",
    }),
    atLeast: z
      .number()
      .int()
      .optional()
      .meta({ description: "The matches that were found. Present when `count` is null." }),
    sample: z.array(Contact).meta({ description: "The newest matches among the scanned contacts, at most 10." }),
    approximate: z
      .literal(true)
      .optional()
      .meta({
        description:
          "Present when `count` is an estimate or null. A preview is exact in a project of up to 250,000 contacts, and in " +
          "a larger one when a filter narrows them down to as few: for example to those with an event or in a segment. Above, it scans " +
          "250,000 of them at points spread evenly from newest to oldest. With more than about twenty filters on events, " +
          "segments or topics, all of these figures are lower.",
      }),
  })
  .meta({ id: "SegmentPreview", example: { count: 1, sample: [contact] } });
