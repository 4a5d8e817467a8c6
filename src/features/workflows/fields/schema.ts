import { z } from "zod";
import { AwaitedName } from "../../../core/workflows/event-name";

export const FieldsQuery = z.object({
  eventName: AwaitedName.optional().meta({
    description: "The event whose data fields to list. Without it, those of the newest events are listed.",
  }),
});

export const WorkflowFields = z
  .object({
    fields: z.array(
      z.object({
        field: z.string(),
        type: z.enum(["string", "number", "boolean", "date"]),
        category: z.enum(["contact", "event"]),
      }),
    ),
  })
  .meta({
    id: "WorkflowFields",
    example: {
      fields: [
        { field: "data.plan", type: "string", category: "contact" },
        { field: "email", type: "string", category: "contact" },
        { field: "event.amount", type: "number", category: "event" },
      ],
    },
  });
