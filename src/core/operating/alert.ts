import type { OwnMail } from "../people/sign-in-mail";
import { escapedHtml } from "../templating/html";
import type { HealthFinding } from "./health-finding";

/** A check that has begun to fail, or has recovered. */
export interface TurnedCheck extends HealthFinding {
  name: string;
}

/**
 * Writes the mail to owners about checks whose state changed. It is in English, because it comes from the installation
 * and not from a project.
 */
export function alertMail(turned: readonly TurnedCheck[], host: string): OwnMail {
  const failing = turned.filter(({ status }) => status === "fail").map(({ name }) => name);
  const named = failing.length > 0 ? failing : turned.map(({ name }) => name);
  const [one, several] = failing.length > 0 ? ["fails", "fail"] : ["has recovered", "have recovered"];
  const lines = turned.map(({ name, status, summary, detail, mend }) => {
    const word = status === "fail" ? "fails" : "has recovered";
    return [`${name} ${word}: ${summary}`, detail, mend].filter((line) => line !== null);
  });
  const end = `GET /admin/health of ${host} shows all checks.`;
  return {
    subject: `Petrel at ${host}: ${named.join(", ")} ${named.length === 1 ? one : several}`,
    text: [...lines.map((each) => each.join("\n")), end].join("\n\n"),
    html: [...lines.map((each) => `<p>${each.map(escapedHtml).join("<br>")}</p>`), `<p>${escapedHtml(end)}</p>`].join(
      "",
    ),
  };
}
