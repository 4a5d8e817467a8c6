const member = (email: string, status: string, more: object = {}) => ({
  ...{ email_address: email, status, merge_fields: { FNAME: "", LNAME: "" }, interests: { news: false }, tags: [] },
  ...{ source: "", language: "", ip_opt: "", timestamp_signup: "", timestamp_opt: "2023-05-01T10:00:00+00:00" },
  last_changed: "2024-03-01T10:00:00+00:00",
  ...more,
});

/** Answers of Mailchimp's API, for an audience with a member of each status. */
export const mailchimp = {
  "/3.0/lists?count=1000": { lists: [{ id: "a1", name: "Customers" }], total_items: 1 },
  "/3.0/lists/a1/merge-fields?count=1000": {
    merge_fields: [
      ...[
        { tag: "FNAME", name: "First Name" },
        { tag: "LNAME", name: "Last Name" },
      ],
      { tag: "MMERGE3", name: "Favourite colour" },
    ],
  },
  "/3.0/lists/a1/interest-categories?count=100": { categories: [{ id: "c1", title: "Topics" }] },
  "/3.0/lists/a1/interest-categories/c1/interests?count=100": { interests: [{ id: "news", name: "Product news" }] },
  "/3.0/lists/a1/members?count=1000&offset=0": {
    members: [
      member("ada@example.com", "subscribed", {
        ...{ merge_fields: { FNAME: "Ada", LNAME: "Lovelace", MMERGE3: "blue" }, interests: { news: true } },
        ...{ timestamp_signup: "2023-04-30T10:00:00+00:00", ip_opt: "192.0.2.1", source: "Embed Form" },
        ...{
          language: "en",
          tags: [
            { id: 1, name: "vip" },
            { id: 2, name: "beta" },
          ],
        },
      }),
      member("bob@example.com", "unsubscribed"),
      member("cleo@example.com", "cleaned"),
      member("dan@example.com", "pending", { timestamp_signup: "2024-02-01T10:00:00+00:00", timestamp_opt: "" }),
      member("eve@example.com", "transactional"),
      member("fay@example.com", "archived"),
    ],
  },
  "/3.0/templates?count=1000&type=user": {
    templates: [
      { id: 7, name: "Welcome", type: "user" },
      { id: 8, name: "Dragged", type: "user" },
    ],
  },
  "/3.0/templates/7/default-content": {
    html: "<p>Hi *|FNAME|*</p>\n*|IF:MMERGE3=blue|*<p>Blue</p>*|ELSE:|*<p>*|MMERGE3|*</p>*|END:IF|*\n<a href='*|UNSUB|*'>Leave</a>",
  },
  "/3.0/templates/8/default-content": { sections: {} },
};

/** The files of an exported audience. */
export const mailchimpFiles = {
  "subscribed_members_export_1.csv":
    "Email Address,First Name,Last Name,MEMBER_RATING,OPTIN_TIME,OPTIN_IP,CONFIRM_TIME,CONFIRM_IP,LAST_CHANGED,LEID,EUID,TAGS\n" +
    'ada@example.com,Ada,Lovelace,4,2023-04-30 10:00:00,192.0.2.1,2023-05-01 10:00:00,192.0.2.1,2024-03-01 10:00:00,1,2,"""vip"""\n',
  "unsubscribed_members_export_1.csv":
    "Email Address,First Name,OPTIN_TIME,CONFIRM_TIME,UNSUB_TIME,UNSUB_REASON\nbob@example.com,Bob,,2023-05-01 10:00:00,2024-03-01 10:00:00,N/A\n",
  "cleaned_members_export_1.csv": "Email Address,First Name,CLEAN_TIME\ncleo@example.com,Cleo,2024-03-01 10:00:00\n",
  "nonsubscribed_members_export_1.csv": "Email Address,First Name\neve@example.com,Eve\n",
};
