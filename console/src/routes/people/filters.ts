import type { Filter } from "petrel-client";

export interface PeopleFilters {
  search?: string;
  /** All of these filters must hold. */
  where?: Filter[];
  /** The keys of data that are shown as columns. */
  columns?: string[];
}

/** Reads the conditions from the page's address. The service checks them. */
export function readPeopleFilters({ search, where, columns }: Record<string, unknown>): PeopleFilters {
  const filters = Array.isArray(where) ? where.filter(isFilter) : [];
  const keys = Array.isArray(columns) ? columns.filter((key) => typeof key === "string") : [];
  return {
    ...(typeof search === "string" && search !== "" ? { search } : {}),
    ...(filters.length > 0 ? { where: filters } : {}),
    ...(keys.length > 0 ? { columns: keys } : {}),
  };
}

function isFilter(value: unknown): value is Filter {
  if (typeof value !== "object" || value === null || !("field" in value && "operator" in value)) return false;
  return typeof value.field === "string" && typeof value.operator === "string";
}
