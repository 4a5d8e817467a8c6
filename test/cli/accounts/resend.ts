const list = (data: object[], has_more = false) => ({ object: "list", has_more, data });
const ada = {
  id: "1",
  email: "ada@example.com",
  first_name: "Ada",
  last_name: null,
  created_at: "2025-10-06T23:47:56.678Z",
};
const bob = {
  id: "2",
  email: "bob@example.com",
  first_name: null,
  last_name: null,
  created_at: "2025-10-07T23:47:56.678Z",
};
const topic = { id: "t1", name: "Product news", description: "Monthly" };

/** Answers of Resend's API, for an account with every state. */
export const resend = {
  "/suppressions?limit=100": list(
    [
      {
        id: "s1",
        email: "manual@example.com",
        origin: "manual",
        source_id: null,
        created_at: "2025-10-06T23:47:56.678Z",
      },
    ],
    true,
  ),
  "/suppressions?limit=100&after=s1": list([
    {
      id: "s2",
      email: "bounce@example.com",
      origin: "bounce",
      source_id: "m1",
      created_at: "2025-10-07T08:12:03.412Z",
    },
    { id: "s3", email: "complaint@example.com", origin: "complaint", source_id: "m2", created_at: null },
  ]),
  "/topics?limit=100": list([{ ...topic, default_subscription: "opt_in" }]),
  "/contact-properties?limit=100": list([{ id: "p1", key: "plan", type: "string" }]),
  "/contacts?limit=100": list([
    { ...ada, unsubscribed: false },
    { ...bob, unsubscribed: true },
  ]),
  "/contacts/1": { ...ada, unsubscribed: false, properties: { plan: "pro" } },
  "/contacts/2": { ...bob, unsubscribed: true, properties: {} },
  "/contacts/1/topics?limit=100": list([{ ...topic, subscription: "opt_out" }]),
  "/contacts/2/topics?limit=100": list([{ ...topic, subscription: "opt_in" }]),
  "/templates?limit=100": list([{ id: "e1", name: "Receipt", status: "published" }]),
  "/templates/e1": {
    ...{ id: "e1", name: "Receipt", subject: "Your {{{PRODUCT}}}", from: "Acme <hello@acme.com>" },
    html: "<p>Hi {{{FIRST_NAME|there}}}, {{{PRODUCT}}} for {{{PRICE}}}</p>",
    variables: [
      { key: "PRODUCT", type: "string", fallback_value: "order" },
      { key: "PRICE", type: "number", fallback_value: null },
    ],
  },
};
