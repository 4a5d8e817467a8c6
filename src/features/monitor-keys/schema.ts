import { z } from "zod";
import { VisibleName } from "../../core/name";

const example = {
  id: "0199a0f2-0b7b-7f52-9c31-6f5e4d3c2b1a",
  kind: "monitor" as const,
  name: "grafana",
  prefix: "mk_5f5f5f5f",
  createdAt: "2026-01-31T09:00:00.000Z",
};

export const MonitorKey = z
  .object({
    id: z.string(),
    kind: z.literal("monitor"),
    name: z.string().nullable(),
    prefix: z.string(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: "MonitorKey", example });

export const MonitorKeys = z.array(MonitorKey).meta({ id: "MonitorKeys", example: [example] });

export const CreatedMonitorKey = MonitorKey.extend({
  key: z.string().meta({ description: "Shown only here." }),
}).meta({ id: "CreatedMonitorKey", example: { ...example, key: `mk_${"5f".repeat(32)}` } });

export const CreateMonitorKey = z
  .object({ kind: z.literal("monitor"), name: VisibleName.optional() })
  .meta({ id: "CreateMonitorKey", example: { kind: "monitor", name: "grafana" } });
export type CreateMonitorKey = z.infer<typeof CreateMonitorKey>;
