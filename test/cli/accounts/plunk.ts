/** Answers of Plunk's API, for an account with every state that it knows. */
export const plunk = {
  "/contacts?limit=100": {
    data: [
      {
        id: "1",
        email: "ada@example.com",
        subscribed: true,
        createdAt: "2024-01-31T09:00:00.000Z",
        data: { plan: "pro", seats: 5 },
      },
    ],
    cursor: "next",
    hasMore: true,
    total: 2,
  },
  "/contacts?limit=100&cursor=next": {
    data: [{ id: "2", email: "Bob@Example.com", subscribed: false, createdAt: "2024-02-01T09:00:00.000Z", data: null }],
    cursor: "",
    hasMore: false,
    total: 0,
  },
  "/templates?page=1&pageSize=100": {
    data: [
      {
        ...{ id: "1", name: "Welcome", subject: "Hi {{ firstName ?? 'you' }}", type: "TRANSACTIONAL" },
        ...{ body: "{% if plan %}{{ data.plan }}{% endif %}", from: "hello@acme.com" },
      },
    ],
    ...{ total: 1, page: 1, pageSize: 100, totalPages: 1 },
  },
};
