import { type Reporter, readReport } from "../reporter";
import { readSesEvent, readSesReceived } from "./notices";
import { readSns } from "./sns";

/** SES reports through an SNS topic, whose messages are signed. */
export function sesReporter(topicArn: string): Reporter {
  return async ({ body }) => {
    const published = await readSns(body, topicArn);
    return published === null ? null : readReport(published, { report: readSesEvent, received: readSesReceived });
  };
}
