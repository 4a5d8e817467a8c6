import { describe, expect, it } from "vitest";
import { tenantFault } from "../support/tenant-check";

describe("a statement on tenants' rows", () => {
  it.each([
    "SELECT * FROM contacts WHERE id = ?",
    'select "id" from "contacts" where "contacts"."email" = ?',
    "DELETE FROM segment_members WHERE contact_id IN (SELECT value FROM json_each(?))",
    "UPDATE emails AS e SET status = ? FROM json_each(?) r WHERE e.id = r.value->>'emailId'",
    "SELECT s.name FROM json_each(?) r CROSS JOIN segments s ON s.id = r.value",
    "INSERT INTO suppressions SELECT e.* FROM events e WHERE e.id = ?",
    "SELECT * FROM contacts c JOIN events e ON e.contact_id = c.id WHERE c.project_id = ? AND c.id = ?",
    "SELECT * FROM segments WHERE project_id = owner.project_id",
  ])("is found out when it names no project, or not for each table: %s", (sql) => {
    expect(tenantFault(sql)).toMatch(/names no project|to no project/);
  });

  it.each([
    "SELECT * FROM contacts WHERE project_id = ? AND id = ?",
    'select "id" from "contacts" where ("contacts"."project_id" = ? and "contacts"."id" = ?)',
    "INSERT INTO contacts (id, project_id, email) SELECT ?, ?, ?",
    "SELECT * FROM contacts c JOIN events e ON e.project_id = c.project_id AND e.contact_id = c.id WHERE c.project_id = ?",
    "DELETE FROM contacts WHERE (project_id, id) IN (SELECT ?, value FROM json_each(?))",
    "SELECT hash FROM api_keys WHERE hash = ?",
    "SELECT 1",
  ])("is fine when it names one, or when it is of no tenant: %s", (sql) => {
    expect(tenantFault(sql)).toBeNull();
  });
});
