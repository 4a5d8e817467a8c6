import { z } from "zod";

export const ContactSegments = z
  .object({
    data: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        slug: z.string(),
        type: z.enum(["DYNAMIC", "STATIC"]),
        since: z.iso.datetime().nullable().meta({
          description: "When the contact entered the segment. Null for a dynamic segment without tracked membership.",
        }),
      }),
    ),
  })
  .meta({
    id: "ContactSegments",
    example: {
      data: [
        {
          ...{ id: "0199a0f2-8b21-7e42-9d53-1a2b3c4d5e6f", name: "Pro", slug: "pro", type: "DYNAMIC" as const },
          since: "2026-01-31T09:00:00.000Z",
        },
      ],
    },
  });
export type ContactSegments = z.infer<typeof ContactSegments>;
