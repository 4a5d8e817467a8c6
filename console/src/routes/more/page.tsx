import { useLocation } from "@tanstack/react-router";
import clsx from "clsx";
import { mayCall, type OperationName } from "petrel-client";
import { useProject } from "../../api/project";
import { Page } from "../../parts/page";
import { useWords } from "../../words/words";

type Part = keyof ReturnType<typeof useWords>["words"]["more"]["parts"];

/** The parts without a page, each with its API call. */
const calls: [part: Part, call: string, needs: OperationName][] = [
  ["segments", "GET /segments", "segments.list"],
  ["members", "POST /segments/{id}/members", "segments.addMembers"],
  ["workflows", "GET /workflows", "workflows.list"],
  ["workflow", "PUT /workflows/{id}/document", "workflows.putDocument"],
  ["templates", "GET /templates", "templates.list"],
  ["template", "POST /templates", "templates.create"],
  ["files", "POST /files", "files.upload"],
  ["suppressions", "GET /suppressions", "suppressions.list"],
  ["unsuppress", "DELETE /suppressions/{email}", "suppressions.remove"],
  ["retryMany", "POST /emails/retry", "emails.retryMany"],
  ["webhooks", "GET /webhooks", "webhooks.list"],
  ["disable", "PATCH /admin/projects/{id}", "admin.updateProject"],
  ["deleteProject", "DELETE /admin/projects/{id}", "admin.deleteProject"],
  ["backups", "POST /admin/projects/{id}/backup", "admin.backUpProject"],
  ["restore", "POST /admin/restore", "admin.restoreBackup"],
  ["monitorKeys", "POST /admin/keys", "admin.addMonitorKey"],
  ["health", "GET /admin/health", "admin.getHealth"],
  ["deadLetters", "GET /admin/dead-letters", "admin.listDeadLetters"],
];

/** Lists parts that have no page yet and that the person may use, one line each. */
export function MorePage() {
  const { words } = useWords();
  const project = useProject();
  // The address changes without a new page, which `:target` does not notice.
  const meant = useLocation({ select: ({ hash }) => hash });
  return (
    <Page title={words.more.title}>
      <p className="mb-4 text-quiet">
        {words.more.lead}{" "}
        <a href="/docs/reference" className="link">
          {words.more.reference}
        </a>
        .
      </p>
      <dl className="sheet grid tablet:grid-cols-[18rem_minmax(0,1fr)]">
        {calls
          .filter(([, , needs]) => mayCall(project, needs))
          .map(([part, call]) => (
            <div key={part} className="contents">
              <dt
                id={part}
                className={clsx(
                  "scroll-mt-16 px-4 pt-3 font-medium tablet:border-b tablet:border-line tablet:pb-3",
                  part === meant && "text-main",
                )}
              >
                {words.more.parts[part]}
              </dt>
              <dd className="border-b border-line px-4 pb-3 font-mono text-small tablet:pt-3">{call}</dd>
            </div>
          ))}
      </dl>
    </Page>
  );
}
