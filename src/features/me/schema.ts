import { z } from "zod";
import { Key, Project } from "../projects/schema";

export const Me = z
  .object({
    project: Project.pick({ id: true, name: true, testClock: true, disabled: true }),
    key: Key.pick({ id: true, kind: true, name: true, prefix: true })
      .nullable()
      .meta({ description: "Null for a person with a session." }),
  })
  .meta({
    id: "Me",
    example: {
      project: { id: "0199a0f2-0b7a-7c11-8e0f-3d2c1b0a9f8e", name: "Acme", testClock: false, disabled: false },
      key: { id: "0199a0f2-0b7b-7f52-9c31-6f5e4d3c2b1a", kind: "secret", name: "server", prefix: "sk_5f5f5f5f" },
    },
  });
