import { z } from "zod";
import { ContactData, readData } from "../../contacts/data";
import { foreign } from "../../foreign-names";
import type { JsonObject } from "../../json";
import { liquidFault, textsIn } from "../liquid";
import type { StepDefinition } from "./definition";

const UpdateContactConfig = z
  .object({
    data: ContactData.superRefine((data, check) => {
      // Data that has been refused may be nested too deeply for the recursion below.
      if (check.issues.length > 0) return;
      for (const { text, path } of textsIn(data)) {
        const message = liquidFault(text);
        if (message !== null) check.addIssue({ code: "custom", path, message, params: { code: "invalid_string" } });
      }
    })
      .nullish()
      .meta({ description: "The keys of the contact's `data` to change. Strings may contain Liquid." }),
    subscribed: z.boolean().nullish(),
  })
  .transform(({ data, subscribed }) => ({
    ...(data && { data: withoutReserved(data) }),
    ...(typeof subscribed === "boolean" && { subscribed }),
  }))
  .meta({ id: "UpdateContactStepConfig", example: { data: { plan: "{{ event.plan }}" } } });
export type UpdateContactConfig = z.infer<typeof UpdateContactConfig>;

/** Returns the data as it was sent, without the keys that would have no effect. */
function withoutReserved(data: JsonObject): JsonObject {
  const { own } = readData(data);
  return Object.fromEntries(Object.entries(data).filter(([key]) => Object.hasOwn(own, key)));
}

export const updateContact = {
  does: "changes the contact's data or subscription",
  shape: ["[", "]"],
  config: UpdateContactConfig,
  foreignNames: foreign(["fields", "attributes", "properties", "set"], {
    standsFor: "data",
    advice: 'Use data, such as { "data": { "plan": "pro" } }',
  }),
  text: ({ data, subscribed }) => {
    const flag = subscribed === undefined ? [] : [subscribed ? "subscribed" : "unsubscribed"];
    return [...Object.keys(data ?? {}), ...flag].join(", ");
  },
  issues: (config) =>
    config.subscribed === undefined && Object.keys(config.data ?? {}).length === 0
      ? ["It changes nothing: set data or subscribed."]
      : [],
  references: (config) => ({ fields: dataFields(config) }),
  writes: (config) => [...dataFields(config), ...(config.subscribed === undefined ? [] : ["subscribed"])],
  causes: {
    key: "subscribed",
    events: (subscribed) => [subscribed ? "contact.subscribed" : "contact.unsubscribed"],
  },
} as const satisfies StepDefinition<UpdateContactConfig>;

function dataFields({ data }: UpdateContactConfig): string[] {
  return Object.keys(data ?? {}).map((key) => `data.${key}`);
}
