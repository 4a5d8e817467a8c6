import { z } from "zod";
import type { JsonObject } from "../../../core/json";
import { pick } from "../fields";
import { contactOf, idOf } from "../named";
import { readingTool } from "../tool";
import { Contact, Data, Workflow } from "./arguments";

const Happening = z.strictObject({
  name: z.string().min(1).describe("The event's name."),
  at: z
    .string()
    .optional()
    .describe("When the event happens, as an ISO 8601 time with a time zone. Pass this or after."),
  after: z
    .string()
    .optional()
    .describe("How long after the start of the execution the event happens, such as 0m, 36h or 3d."),
  data: Data.optional(),
});

export const simulateWorkflow = readingTool({
  name: "simulate_workflow",
  title: "Simulate a workflow",
  description:
    "Show the path that a real contact of the project would take through a workflow, with every wait and " +
    "email, and with the events that you say happen meanwhile. Nothing is sent, called or changed.",
  input: z.strictObject({
    workflow: Workflow,
    contact: Contact,
    events: z
      .array(Happening)
      .max(100)
      .optional()
      .describe(
        "The events that happen to the contact. The first with the name of the workflow's trigger starts the " +
          "execution.",
      ),
    until: z
      .string()
      .optional()
      .describe("When the simulation stops, as an ISO 8601 time with a time zone. Default: the end."),
  }),
  async run({ api }, { workflow, contact, events, until }) {
    const [id, person] = await Promise.all([idOf(api, "workflow", workflow), contactOf(api, contact)]);
    // The arguments were parsed from JSON, so they are JSON.
    const asked = { contactId: String(person.id), ...(events && { events }), ...(until && { until }) } as JsonObject;
    const [simulated, row] = await Promise.all([
      api.post(`/workflows/${id}/simulate`, asked),
      api.get(`/workflows/${id}`),
    ]);
    const names = { workflow: pick(row, "id", "name", "enabled", "issues"), contact: pick(person, "id", "email") };
    return { data: { ...names, ...simulated } };
  },
});
