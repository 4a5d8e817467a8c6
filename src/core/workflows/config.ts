import { z } from "zod";
import { type FieldFault, Invalid } from "../errors";
import { faultsOf } from "../faults";
import { foreignFaults } from "../foreign-names";
import { type JsonObject, utf8Bytes } from "../json";
import { nameMisspelt } from "../misspelt";
import { definitionOf, type StepConfigs, type StepType, stepTypes } from "./step";
import { stepDefinitions } from "./step-definitions";

const maxConfigBytes = 32 * 1024;

/** The config of any step. */
export const StepConfig = z.union(stepTypes.map((type) => stepDefinitions[type].config));

/** Reads a step's config by the schema of its type. Throws Invalid, with fields such as `config.amount`. */
export function readConfig<T extends StepType>(type: T, sent: JsonObject): StepConfigs[T] {
  const { config, formOf, foreignNames = [] } = definitionOf(type);
  const foreign = foreignFaults(foreignNames, sent);
  const read = (formOf?.(sent) ?? config).safeParse(sent);
  if (!read.success || foreign.length > 0) {
    const own = read.success ? [] : nameMisspelt(faultsOf(read.error, sent), Object.keys(sent));
    throw new Invalid([...foreign, ...own].map(inConfig));
  }
  const bytes = utf8Bytes(JSON.stringify(read.data));
  // The cast is safe: the schema is that of this type.
  if (bytes <= maxConfigBytes) return read.data as StepConfigs[T];
  const message = `The config of a step may have at most ${maxConfigBytes} bytes of JSON; this one has ${bytes}`;
  throw new Invalid([{ field: "config", code: "too_big", message }]);
}

function inConfig(fault: FieldFault): FieldFault {
  return { ...fault, field: fault.field === "" ? "config" : `config.${fault.field}` };
}
