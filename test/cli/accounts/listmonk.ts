const page = (results: object[]) => ({ data: { results, query: "", total: results.length, per_page: 1000, page: 1 } });
const list = (name: string, subscription_status: string, more: object = {}) => ({
  ...{ name, type: "public", optin: "single", subscription_status },
  ...{ subscription_created_at: "2020-03-01T10:00:00Z", subscription_updated_at: "2020-04-01T10:00:00Z" },
  ...more,
});
const subscriber = (email: string, lists: object[], more: object = {}) => ({
  ...{ email, name: "", status: "enabled", created_at: "2020-02-10T23:07:16.199433+01:00", attribs: {}, lists },
  updated_at: "2020-05-01T10:00:00Z",
  ...more,
});
const query = "?page=1&per_page=1000&order_by=id&order=asc";

/** Answers of listmonk's API, for an installation with every state. */
export const listmonk = {
  [`/api/bounces${query}`]: page([
    { email: "hard@example.com", type: "hard", created_at: "2021-01-01T10:00:00Z" },
    { email: "soft@example.com", type: "soft", created_at: "2021-01-01T10:00:00Z" },
    { email: "spam@example.com", type: "complaint", created_at: "2021-01-01T10:00:00Z" },
  ]),
  [`/api/lists${query}`]: page([
    { id: 1, name: "Product news", type: "public", optin: "single", description: "Monthly" },
    { id: 2, name: "Confirmed", type: "public", optin: "double", description: "" },
    { id: 3, name: "Staff", type: "private", optin: "single", description: "" },
  ]),
  [`/api/subscribers${query}`]: page([
    subscriber(
      "ada@example.com",
      [list("Product news", "unconfirmed"), list("Staff", "confirmed", { type: "private" })],
      {
        name: "Ada Lovelace",
        attribs: { city: "London", projects: { open: 3 } },
      },
    ),
    subscriber("bob@example.com", [list("Product news", "unsubscribed")]),
    subscriber("cleo@example.com", [list("Confirmed", "unconfirmed", { optin: "double" })]),
    subscriber("dan@example.com", [
      list("Confirmed", "confirmed", { optin: "double" }),
      list("Product news", "unsubscribed"),
    ]),
    subscriber("eve@example.com", []),
    subscriber("fay@example.com", [list("Product news", "confirmed")], { status: "blocklisted" }),
    subscriber("gil@example.com", [list("Product news", "confirmed")], { status: "disabled" }),
  ]),
  "/api/templates": {
    data: [
      { id: 1, name: "Layout", type: "campaign", subject: "", body: '{{ template "content" . }}' },
      {
        ...{ id: 2, name: "Receipt", type: "tx", subject: "Hi {{ .Subscriber.FirstName }}" },
        body: '{{ if eq .Subscriber.Attribs.city "London" }}UK{{ else }}{{ .Tx.Data.country }}{{ end }}{{ TrackView . }}\n{{ Date "2006" }}',
      },
    ],
  },
};
