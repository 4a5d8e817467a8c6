/** Answers of Loops' API, which has no list of contacts. */
export const loops = {
  "/api/v1/lists": [{ id: "l1", name: "Product news", description: "Monthly", isPublic: true }],
};

export const loopsFiles = {
  "contacts.csv":
    "Email,First Name,Subscribed,User Group,Source,Created At,Opt In Status,Product news\n" +
    "ada@example.com,Ada,true,VIP,Form,2024-01-01T00:00:00.000Z,accepted,true\n" +
    "bob@example.com,Bob,false,,API,2024-01-01T00:00:00.000Z,,false\n" +
    "cleo@example.com,Cleo,true,,Form,2024-01-01T00:00:00.000Z,pending,false\n" +
    "dan@example.com,Dan,true,,Form,2024-01-01T00:00:00.000Z,rejected,\n",
  "Welcome.html":
    "<title>Hi {firstName|there}</title><style>p{color:red}</style>\n<p>{contact.plan} {event.total} {DATA_VARIABLE:code}</p>",
};
