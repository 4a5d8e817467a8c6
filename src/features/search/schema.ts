import { z } from "zod";
import { storable } from "../../core/storable";
import { Warnings } from "../../core/warning";

/** The maximum number of results of one search. */
export const maxResults = 20;

/** The longest text that can match anything: the URL of a webhook. */
const maxQueryLength = 2_000;

export const SearchQuery = z.object({
  q: z
    .string()
    .trim()
    .min(1)
    .max(maxQueryLength)
    .refine(...storable)
    .meta({
      description: "An id, the beginning of a name, or a contact's address, in upper or lower case.",
      example: "welcome",
    }),
});

const resultTypes = [
  "contact",
  "email",
  "template",
  "campaign",
  "segment",
  "workflow",
  "topic",
  "domain",
  "webhook",
] as const;
export type ResultType = (typeof resultTypes)[number];

export const SearchResults = z
  .object({
    results: z.array(
      z.object({
        type: z.enum(resultTypes),
        id: z.string(),
        name: z.string().meta({
          description: "A contact's address, an email's subject, a webhook's URL, or the name of anything else.",
        }),
        hint: z
          .string()
          .meta({ description: "What distinguishes the result from others of the same name, such as its status." }),
      }),
    ),
    warnings: Warnings,
  })
  .meta({
    id: "SearchResults",
    example: {
      results: [
        {
          type: "template",
          id: "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10",
          name: "Welcome",
          hint: "Welcome, {{firstName}}",
        },
        { type: "campaign", id: "0199a0f2-7d31-7c22-a1b2-c3d4e5f60718", name: "Welcome back", hint: "DRAFT" },
      ],
    },
  });
export type SearchResults = z.infer<typeof SearchResults>;
export type SearchResult = SearchResults["results"][number];
