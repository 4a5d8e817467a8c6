/**
 * Returns a link that makes its reader the first owner, once within a day. Null when there are people already, and when
 * the console is closed.
 */
export async function firstOwnerLink({ call, base, adminToken }) {
  const people = await call("GET", "/admin/people?limit=1", { key: adminToken, accept: [404] });
  return !people || people.data.length > 0 ? null : ownerLink({ call, base, adminToken });
}

/**
 * Returns a link at `base` that signs in the person with the address; without an address, its reader becomes an owner.
 */
export async function ownerLink({ call, base, adminToken, email }) {
  const { url } = await call("POST", "/admin/people/link", { key: adminToken, body: email ? { email } : {} });
  return base + new URL(url).pathname;
}
