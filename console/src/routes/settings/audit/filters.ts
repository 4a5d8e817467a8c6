const names = ["actor", "action", "target", "startDate", "endDate"] as const;

/** The filters of the audit log, as the address contains them. */
export type AuditFilters = Partial<Record<(typeof names)[number], string>>;

export function readAuditFilters(search: Record<string, unknown>): AuditFilters {
  return Object.fromEntries(
    names.flatMap((name) => (typeof search[name] === "string" && search[name] !== "" ? [[name, search[name]]] : [])),
  );
}
