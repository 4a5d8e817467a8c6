import { z } from "zod";

const Status = z.enum(["ok", "warn", "fail"]);

export const HealthAnswer = z
  .object({
    status: Status.describe("The worst status of all checks: `warn` needs attention today, `fail` now"),
    version: z.string().describe("The version of Petrel"),
    checkedAt: z.iso.datetime().describe("When the checks ran. An answer is reused for 15 seconds"),
    checks: z.array(
      z.object({
        name: z.string(),
        status: Status,
        summary: z.string().describe("The state in one sentence"),
        detail: z.string().nullable().describe("Names, counts and times"),
        mend: z.string().nullable().describe("How to fix it"),
      }),
    ),
  })
  .meta({
    id: "Health",
    example: {
      status: "warn",
      version: "1.0.0",
      checkedAt: "2026-01-31T09:00:00.000Z",
      checks: [
        {
          name: "sender_domains",
          status: "warn",
          summary: "1 verified sender domain lost DNS records.",
          detail: "mail.acme.example since 2026-01-31T07:00:00.000Z",
          mend: "GET /domains/{id}/verify says which records are missing. After three days without them, the domain can no longer send.",
        },
      ],
    },
  });
