const file =
  "EMAIL,FIRST_NAME,LAST_NAME,CITY,CREATED_AT,UPDATED_AT,CONTACT_ID\n" +
  "ada@example.com,Ada,Lovelace,London,2024-01-01T00:00:00Z,2024-01-02T00:00:00Z,1\n" +
  "bob@example.com,Bob,,,2024-01-01T00:00:00Z,2024-01-02T00:00:00Z,2\n" +
  "cleo@example.com,Cleo,,,2024-01-01T00:00:00Z,2024-01-02T00:00:00Z,3\n";

/** Answers of SendGrid's API, for an account with every list. */
export const sendgrid = {
  "/v3/suppression/bounces?limit=500&offset=0": [
    { created: 1_700_000_000, email: "bounce@example.com", reason: "550 5.1.1", status: "5.1.1" },
  ],
  "/v3/suppression/invalid_emails?limit=500&offset=0": [
    {
      created: 1_700_000_000,
      email: "invalid@example.com",
      reason: "Mail domain mentioned in email address is unknown",
    },
  ],
  "/v3/suppression/spam_reports?limit=500&offset=0": [
    { created: 1_700_000_000, email: "spam@example.com", ip: "192.0.2.1" },
  ],
  "/v3/suppression/unsubscribes?limit=500&offset=0": [{ created: 1_700_000_000, email: "bob@example.com" }],
  "/v3/asm/groups": [
    { id: 1, name: "Product news", description: "Monthly", is_default: false, unsubscribes: 1 },
    { id: 2, name: "Offers", description: "", is_default: true, unsubscribes: 1 },
  ],
  "/v3/asm/suppressions": [
    { email: "cleo@example.com", group_id: 2, group_name: "Offers", created_at: 1_700_000_000 },
    { email: "stranger@example.com", group_id: 1, group_name: "Product news", created_at: 1_700_000_000 },
  ],
  "POST /v3/marketing/contacts/exports": { id: "x1" },
  "/v3/marketing/contacts/exports/x1": { id: "x1", status: "ready", urls: ["https://files.test/x1.csv"] },
  "https://files.test/x1.csv": file,
  "/v3/templates?generations=dynamic&page_size=200": {
    result: [{ id: "d-1", name: "Receipt", generation: "dynamic" }],
  },
  "/v3/templates/d-1": {
    versions: [
      { active: 0, subject: "Old", html_content: "<p>Old</p>" },
      {
        active: 1,
        subject: 'Order for {{insert name "default=you"}}',
        html_content: "{{#each items}}<p>{{this.name}} {{count}} {{../currency}}</p>{{/each}}\n{{{footer}}}",
      },
    ],
  },
};
