import { z } from "zod";
import { readLength } from "../../../core/advance";
import { ContactData } from "../../../core/contacts/data";
import { readId } from "../../../core/ids";
import { utf8Bytes } from "../../../core/json";
import { dayMs } from "../../../core/time";
import { executionStatuses } from "../../../core/workflows/execution";
import { PathStep, pathStepExample } from "../executions/path";

const maxEvents = 100;
const maxDataBytes = 16 * 1024;
const maxNameLength = 255;
const maxDelayMs = 3_653 * dayMs;

const example = {
  contactId: "0199a0f2-6c1e-7b3a-9d54-0c8f6f1f2a10",
  events: [
    { at: "2026-01-31T09:00:00Z", name: "signup", data: { plan: "free" } },
    { after: "3d", name: "purchase", data: { amount: 42 } },
  ],
};

const Time = z.iso.datetime({ offset: true });

const Delay = z
  .string()
  .transform((given, check) => {
    const ms = /^0[smhdw]$/.test(given) ? 0 : readLength(given);
    if (ms !== null && ms <= maxDelayMs) return ms;
    const message = "Must be a whole number and a unit (s, m, h, d or w), such as 3d, up to ten years";
    check.addIssue({ code: "custom", message, params: { code: "invalid_string" } });
    return z.NEVER;
  })
  .meta({ type: "string", example: "3d" });

const Happening = z
  .object({
    at: Time.nullish().meta({
      description:
        "When the event happens. Pass this or `after`; without either, the event happens when the execution " +
        "starts.",
    }),
    after: Delay.nullish().meta({
      type: ["string", "null"],
      description:
        "How long after the start of the execution the event happens: `0m`, `36h`, `3d`. Units are s, m, h, " +
        "d and w. The execution starts at the `at` of the event that starts it, otherwise now. Pass this or " +
        "`at`.",
    }),
    name: z.string().min(1).max(maxNameLength),
    data: ContactData.refine((data) => utf8Bytes(JSON.stringify(data)) <= maxDataBytes, {
      error: `Must be at most ${maxDataBytes} bytes as JSON`,
      params: { code: "too_big" },
    })
      .nullish()
      .meta({ type: ["object", "null"] }),
  })
  .superRefine(({ at, after }, check) => {
    if ((at ?? null) === null || (after ?? null) === null) return;
    const message = "Must not be sent together with at, which has the same meaning";
    check.addIssue({ code: "custom", path: ["after"], message });
  });

export const SimulateWorkflow = z
  .object({
    contactId: z.string().min(1).transform(readId).meta({ type: "string" }),
    events: z
      .array(Happening)
      .max(maxEvents)
      .nullish()
      .meta({
        description:
          "What happens to the contact during the simulation, in addition to recorded events. The data of " +
          "these events becomes the contact's, as with `POST /events/track`. The first event with the name of " +
          "the workflow's trigger starts the execution; without one, it starts now, as if by hand. Reactions " +
          "to the simulated mail, such as `email.opened`, only happen if you list them here.",
      }),
    until: Time.nullish().meta({ description: "When the simulation stops. By default, it continues to the end." }),
  })
  .meta({ id: "SimulateWorkflow", example });
export type SimulateWorkflow = z.infer<typeof SimulateWorkflow>;

export const WorkflowSimulation = z
  .object({
    path: z.array(PathStep),
    mails: z.array(
      z.object({
        at: z.iso.datetime(),
        templateId: z.string(),
        subject: z.string().meta({ description: "The subject as the contact would see it." }),
      }),
    ),
    endsAt: z.iso
      .datetime()
      .nullable()
      .meta({ description: "When the execution ends. Null if it still waits when the simulation stops." }),
    status: z.enum(executionStatuses),
  })
  .meta({
    id: "WorkflowSimulation",
    example: {
      path: [pathStepExample],
      mails: [
        {
          at: "2026-01-31T09:00:00.000Z",
          templateId: "0199a0f2-e6f7-7d4e-bf50-6b7c8d9e0f1a",
          subject: "Welcome, Ada",
        },
      ],
      endsAt: "2026-02-02T12:00:00.000Z",
      status: "COMPLETED",
    },
  });
export type WorkflowSimulation = z.infer<typeof WorkflowSimulation>;
