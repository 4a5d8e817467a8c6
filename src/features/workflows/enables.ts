import { isJsonObject } from "../../core/json";

/** Whether a request body enables a workflow, which can then send mail. */
export function enables(body: unknown): boolean {
  return isJsonObject(body) && body.enabled === true;
}
