const file =
  "id,cio_id,email,first_name,created_at,unsubscribed,cio_subscription_preferences\n" +
  '1,a1,ada@example.com,Ada,1700000000,,"{""topics"":{""topic_1"":false}}"\n' +
  "2,a2,bob@example.com,Bob,1700000000,true,\n" +
  "3,a3,cleo@example.com,Cleo,1700000000,false,\n";

/** Answers of Customer.io's App API, for a workspace with every state. */
export const customerio = {
  "/v1/esp/suppression/bounces?limit=1000&offset=0": {
    category: "bounces",
    suppressions: [{ created: 1_650_895_738, email: "bounce@example.com", reason: "550", status: "550" }],
  },
  "/v1/esp/suppression/invalid_emails?limit=1000&offset=0": { category: "bounces", suppressions: [] },
  "/v1/esp/suppression/spam_reports?limit=1000&offset=0": {
    category: "spam",
    suppressions: [{ created: 1_650_895_738, email: "spam@example.com", reason: "", status: "" }],
  },
  "/v1/subscription_topics": {
    topics: [
      { id: 1, identifier: "topic_1", name: "Product news", description: "Monthly", subscribed_by_default: true },
      { id: 2, identifier: "topic_2", name: "Offers", description: "", subscribed_by_default: false },
    ],
  },
  "POST /v1/exports/customers": { export: { id: 9, status: "pending" } },
  "/v1/exports/9": { export: { id: 9, status: "done" } },
  "/v1/exports/9/download": { url: "https://files.test/9.csv" },
  "https://files.test/9.csv": file,
  "/v1/newsletters": { newsletters: [{ id: 1, name: "March" }] },
  "/v1/newsletters/1/contents": {
    contents: [
      {
        ...{ id: 1, subject: "Hi {{customer.first_name}}", from: "Acme <hello@acme.com>" },
        body: "{% if customer.plan == 'customer.pro' %}Pro{% endif %}\n<a href='{% unsubscribe_url %}'>Leave</a>",
      },
    ],
  },
  "/v1/transactional": { messages: [{ id: 2, name: "Receipt" }] },
  "/v1/transactional/2/contents": {
    contents: [{ id: 2, subject: "Receipt", body: "<p>{{snippets.header}}</p>\n<p>{{trigger.total}}</p>", from: null }],
  },
};
