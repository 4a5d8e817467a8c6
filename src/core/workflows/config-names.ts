import { isJsonObject } from "../json";
import type { Warning } from "../warning";
import type { StepConfigs } from "./config";
import type { StepType } from "./step";

type KeyOf<Config> = Config extends unknown ? keyof Config : never;

/** The names in the config of each type. */
const names: { [T in StepType]: readonly KeyOf<StepConfigs[T]>[] } = {
  TRIGGER: [],
  SEND_EMAIL: ["templateId", "recipient"],
  DELAY: ["amount", "unit"],
  WAIT_FOR_EVENT: ["eventName", "timeout"],
  CONDITION: ["field", "operator", "value", "unit", "condition", "mode", "branches"],
  WEBHOOK: ["url", "method", "headers", "body"],
  UPDATE_CONTACT: ["data", "subscribed"],
  EXIT: ["reason"],
};

/** The names in the config of any type. */
export const configNames: string[] = [...new Set(Object.values(names).flat())];

/**
 * Returns warnings for names that only the configs of other types have, and that are ignored. Names that no type has
 * are reported for every body elsewhere.
 */
export function foreignNames(type: StepType, config: unknown): Warning[] {
  if (!isJsonObject(config)) return [];
  return Object.keys(config).flatMap((name) => {
    const owners = Object.entries(names).filter(([, known]) => (known as readonly string[]).includes(name));
    if (owners.length === 0 || owners.some(([owner]) => owner === type)) return [];
    const whose = owners.map(([owner]) => owner).join(" and ");
    return [
      { field: `config.${name}`, message: `Not in the config of a ${type} step, and ignored. It belongs to ${whose}.` },
    ];
  });
}
