const names = ["actor", "action", "target", "startDate", "endDate"] as const;

/** The filters of the audit log, as they are in the address. */
export type AuditFilters = Partial<Record<(typeof names)[number], string>>;

export function readAuditFilters(search: Record<string, unknown>): AuditFilters {
  return Object.fromEntries(
    names.flatMap((name) => (typeof search[name] === "string" && search[name] !== "" ? [[name, search[name]]] : [])),
  );
}
