import { type Reporter, readReport } from "../reporter";
import { readSesEvent, readSesReceived } from "./notices";
import { readSns } from "./sns";

/** Verifies reports of SES, which arrive through an SNS topic with signed messages. */
export function sesReporter(topicArn: string): Reporter {
  return async ({ body }) => {
    const published = await readSns(body, topicArn);
    return published === null ? null : readReport(published, { report: readSesEvent, received: readSesReceived });
  };
}
