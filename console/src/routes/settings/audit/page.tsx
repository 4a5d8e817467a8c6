import { getRouteApi } from "@tanstack/react-router";
import { useRows } from "../../../api/pages";
import { useProject } from "../../../api/project";
import { Amount } from "../../../parts/amount";
import { useWords } from "../../../words/words";
import { SettingsFrame } from "../frame";
import { AuditLog, auditPageSize } from "./log";

const route = getRouteApi("/p/$project/settings/audit");

/** Lists the changes in the project, by whom and when, newest first. */
export function AuditPage() {
  const { words } = useWords();
  const { id: project, petrel } = useProject();
  const filters = route.useSearch();
  const list = useRows([project, "audit", filters], (cursor, signal) =>
    petrel.audit.list({ ...filters, limit: auditPageSize, ...(cursor ? { cursor } : {}) }, { signal }),
  );
  /** Reads the current people and keys of the project. */
  async function readActors(signal: AbortSignal) {
    const [members, keys] = await Promise.all([
      petrel.admin.listMembers(project, { limit: 100 }, { signal }),
      petrel.admin.listKeys(project, { signal }),
    ]);
    return [
      ...members.data.map(({ id, name, email }) => ({ id, name: name ?? email })),
      ...keys
        .filter(({ kind }) => kind === "secret")
        .map(({ id, name, prefix }) => ({ id, name: name ?? `${prefix}…` })),
    ];
  }
  return (
    <SettingsFrame
      part="audit"
      aside={list.total !== undefined && <Amount of={list.total} isApproximate={list.isApproximate} />}
    >
      <AuditLog
        list={list}
        filters={filters}
        of={project}
        readActors={readActors}
        noneAdvice={words.settings.audit.noneAdvice}
      />
    </SettingsFrame>
  );
}
