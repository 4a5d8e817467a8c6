import { getRouteApi } from "@tanstack/react-router";
import { useRows } from "../../api/pages";
import { installation } from "../../api/petrel";
import { Amount } from "../../parts/amount";
import { useWords } from "../../words/words";
import { AuditLog, auditPageSize } from "../settings/audit/log";
import { InstallationFrame } from "./frame";

const route = getRouteApi("/own/installation/audit");

/** Lists the changes of the installation itself: of projects, owners and its own keys. */
export function InstallationAuditPage() {
  const { words } = useWords();
  const filters = route.useSearch();
  const list = useRows(["installation", "audit", filters], (cursor, signal) =>
    installation.admin.listInstallationAudit(
      { ...filters, limit: auditPageSize, ...(cursor ? { cursor } : {}) },
      { signal },
    ),
  );
  return (
    <InstallationFrame part="audit" aside={list.total !== undefined && <Amount of={list.total} />}>
      <AuditLog
        list={list}
        filters={filters}
        of="installation"
        readActors={readActors}
        noneAdvice={words.installation.audit.noneAdvice}
      />
    </InstallationFrame>
  );
}

/** Reads the owners, who alone may change the installation. */
async function readActors(signal: AbortSignal) {
  const { data } = await installation.admin.listPeople({ limit: 100 }, { signal });
  return data.filter(({ role }) => role === "owner").map(({ id, name, email }) => ({ id, name: name ?? email }));
}
