import { isJsonObject } from "../../core/json";

/** Whether a body enables a workflow, which then mails people. */
export function enables(body: unknown): boolean {
  return isJsonObject(body) && body.enabled === true;
}
