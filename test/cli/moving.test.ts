import { expect, it } from "vitest";
import { customerio } from "./accounts/customerio";
import { listmonk } from "./accounts/listmonk";
import { loops, loopsFiles } from "./accounts/loops";
import { mailchimp, mailchimpFiles } from "./accounts/mailchimp";
import { openAccount, peopleOf } from "./accounts/open";
import { plunk } from "./accounts/plunk";
import { resend } from "./accounts/resend";
import { sendgrid } from "./accounts/sendgrid";

function suppressedOf({ suppressed }: Awaited<ReturnType<typeof openAccount>>["account"]) {
  return [...suppressed.values()].map(({ email, reason, createdAt }) => [email, reason, createdAt?.slice(0, 10)]);
}

it("reads Plunk page by page, where nobody is known to have left", async () => {
  const { account, templates } = await openAccount("plunk", plunk);
  expect(peopleOf(account)).toEqual({
    "ada@example.com": ["subscribed", "createdAt 2024-01-31T09:00", "default", { plan: "pro", seats: 5 }],
    "bob@example.com": ["out", "createdAt 2024-02-01T09:00", "default", {}],
  });
  expect(templates).toEqual([["Welcome", "Hi {{ firstName ?? 'you' }}", "{% if plan %}{{ data.plan }}{% endif %}"]]);
  expect(account.templates[0]?.type).toBe("TRANSACTIONAL");
});

it("reads a member of each status of Mailchimp, and its groups as topics", async () => {
  const { account, templates } = await openAccount("mailchimp", mailchimp);
  expect(peopleOf(account)).toEqual({
    "ada@example.com": [
      ...["subscribed", "createdAt 2023-04-30T10:00", "confirmedAt 2023-05-01T10:00", ["Product news"]],
      {
        ...{ firstName: "Ada", lastName: "Lovelace", favouriteColour: "blue", locale: "en", tags: "vip, beta" },
        ...{ consentSource: "Embed Form", consentIp: "192.0.2.1" },
      },
    ],
    "bob@example.com": ["left", "createdAt 2023-05-01T10:00", "optedOutAt 2024-03-01T10:00", [], {}],
    "cleo@example.com": ["out", "createdAt 2023-05-01T10:00", [], {}],
    "dan@example.com": ["out", "createdAt 2024-02-01T10:00", [], {}],
    "eve@example.com": ["out", "createdAt 2023-05-01T10:00", [], {}],
  });
  expect(suppressedOf(account)).toEqual([["cleo@example.com", "bounce", "2024-03-01"]]);
  expect([...account.leftOut]).toEqual([["archived", 1]]);
  expect(account.notes).toEqual([expect.stringContaining("Dragged")]);
  expect(templates).toEqual([
    [
      ...["Welcome", "Welcome"],
      '<p>Hi {{ firstName }}</p>\n{% if favouriteColour == "blue" %}<p>Blue</p>{% else %}<p>{{ favouriteColour }}</p>{% endif %}\n' +
        "<a href='{{ unsubscribeUrl }}'>Leave</a>",
    ],
  ]);
});

it("reads the exported files of Mailchimp, whose names say whom they have", async () => {
  const { account } = await openAccount("mailchimp", {}, mailchimpFiles);
  expect(peopleOf(account)).toEqual({
    "ada@example.com": [
      ...["subscribed", "createdAt 2023-04-30T10:00", "confirmedAt 2023-05-01T10:00", "default"],
      { firstName: "Ada", lastName: "Lovelace", tags: "vip", consentIp: "192.0.2.1" },
    ],
    "bob@example.com": [
      ...["left", "createdAt 2023-05-01T10:00", "optedOutAt 2024-03-01T10:00", "default"],
      { firstName: "Bob", unsubscribeReason: "N/A" },
    ],
    "cleo@example.com": ["out", "default", { firstName: "Cleo" }],
    "eve@example.com": ["out", "default", { firstName: "Eve" }],
  });
  expect(suppressedOf(account)).toEqual([["cleo@example.com", "bounce", "2024-03-01"]]);
  const unnamed = openAccount("mailchimp", {}, { "people.csv": "Email Address\nada@example.com\n" });
  await expect(unnamed).rejects.toThrow("people.csv: its name must say whom it has");
});

it("asks for one of several audiences of Mailchimp", async () => {
  const lists = [
    { id: "a1", name: "Customers" },
    { id: "a2", name: "Press" },
  ];
  const opened = openAccount("mailchimp", { "/3.0/lists?count=1000": { lists } });
  await expect(opened).rejects.toThrow("Choose one by --audience: Customers, Press");
});

it("reads the suppressions, topics and contacts of Resend", async () => {
  const { account, templates } = await openAccount("resend", resend);
  expect(peopleOf(account)).toEqual({
    "ada@example.com": ["subscribed", "createdAt 2025-10-06T23:47", [], { plan: "pro", firstName: "Ada" }],
    "bob@example.com": ["left", "createdAt 2025-10-07T23:47", ["Product news"], {}],
  });
  expect(suppressedOf(account)).toEqual([
    ["manual@example.com", "manual", "2025-10-06"],
    ["bounce@example.com", "bounce", "2025-10-07"],
    ["complaint@example.com", "complaint", undefined],
  ]);
  expect(templates).toEqual([
    [
      ...["Receipt", 'Your {{ PRODUCT ?? "order" }}'],
      '<p>Hi {{ firstName ?? "there" }}, {{ PRODUCT ?? "order" }} for {{ PRICE }}</p>',
    ],
  ]);
});

it("reads every list of SendGrid, and makes no subscriber of one who only left a group", async () => {
  const { account, templates } = await openAccount("sendgrid", sendgrid);
  expect(peopleOf(account)).toEqual({
    "ada@example.com": [
      ...["subscribed", "createdAt 2024-01-01T00:00", "default"],
      { first_name: "Ada", last_name: "Lovelace", city: "London" },
    ],
    "bob@example.com": [
      "left",
      "createdAt 2024-01-01T00:00",
      "optedOutAt 2023-11-14T22:13",
      "default",
      { first_name: "Bob" },
    ],
    "cleo@example.com": ["subscribed", "createdAt 2024-01-01T00:00", ["Product news"], { first_name: "Cleo" }],
    "stranger@example.com": ["out", ["Offers"], {}],
  });
  expect(suppressedOf(account)).toEqual([
    ["bounce@example.com", "bounce", "2023-11-14"],
    ["invalid@example.com", "bounce", "2023-11-14"],
    ["spam@example.com", "complaint", "2023-11-14"],
    ["bob@example.com", "unsubscribe", "2023-11-14"],
  ]);
  expect(templates).toEqual([
    [
      ...["Receipt", 'Order for {{ name ?? "you" }}'],
      "{% for item in items %}<p>{{ item.name }} {{ item.count }} {{ currency }}</p>{% endfor %}\n{{ footer | raw }}",
    ],
  ]);
});

it("reads the file of Loops with the mailing lists of its API, and an HTML file", async () => {
  const { account, templates } = await openAccount("loops", loops, loopsFiles);
  const at = "createdAt 2024-01-01T00:00";
  expect(peopleOf(account)).toEqual({
    "ada@example.com": [
      "subscribed",
      at,
      ["Product news"],
      { firstName: "Ada", userGroup: "VIP", consentSource: "Form" },
    ],
    "bob@example.com": ["left", at, [], { firstName: "Bob", consentSource: "API" }],
    "cleo@example.com": ["out", at, [], { firstName: "Cleo", consentSource: "Form" }],
    "dan@example.com": ["left", at, "default", { firstName: "Dan", consentSource: "Form" }],
  });
  expect(templates).toEqual([
    [
      ...["Welcome", 'Hi {{ firstName ?? "there" }}'],
      '<title>Hi {{ firstName ?? "there" }}</title><style>p{color:red}</style>\n<p>{{ plan }} {{ event.total }} {{ code }}</p>',
    ],
  ]);
  await expect(openAccount("loops", loops)).rejects.toThrow("Name the file to import");
});

it("reads the people of Customer.io with what they chose, and names the tags that have no like here", async () => {
  const { account, templates } = await openAccount("customerio", customerio);
  const at = "createdAt 2023-11-14T22:13";
  expect(peopleOf(account)).toEqual({
    "ada@example.com": ["subscribed", at, [], { first_name: "Ada" }],
    "bob@example.com": ["left", at, "default", { first_name: "Bob" }],
    "cleo@example.com": ["subscribed", at, "default", { first_name: "Cleo" }],
  });
  expect(suppressedOf(account)).toEqual([
    ["bounce@example.com", "bounce", "2022-04-25"],
    ["spam@example.com", "complaint", "2022-04-25"],
  ]);
  expect(templates).toEqual([
    [
      ...["March", "Hi {{first_name}}"],
      "{% if plan == 'customer.pro' %}Pro{% endif %}\n<a href='{{ unsubscribeUrl }}'>Leave</a>",
    ],
    { name: "Receipt", faults: ["1: {{snippets.header}}", "2: {{trigger.total}}"] },
  ]);
});

it("reads every state of listmonk, whose file would lose who left", async () => {
  const { account, templates } = await openAccount("listmonk", listmonk);
  const at = "createdAt 2020-02-10T22:07";
  expect(peopleOf(account)).toEqual({
    "ada@example.com": [
      ...["subscribed", at, ["Product news"]],
      { city: "London", projects: { open: 3 }, name: "Ada Lovelace", privateLists: "Staff" },
    ],
    "bob@example.com": ["left", at, "optedOutAt 2020-04-01T10:00", [], {}],
    "cleo@example.com": ["out", at, [], {}],
    "dan@example.com": ["subscribed", at, "confirmedAt 2020-04-01T10:00", ["Confirmed"], {}],
    "eve@example.com": ["out", at, [], {}],
    "fay@example.com": ["left", at, "optedOutAt 2020-05-01T10:00", ["Product news"], {}],
    "gil@example.com": ["out", at, ["Product news"], {}],
  });
  expect(suppressedOf(account)).toEqual([
    ["hard@example.com", "bounce", "2021-01-01"],
    ["spam@example.com", "complaint", "2021-01-01"],
    ["fay@example.com", "manual", "2020-05-01"],
  ]);
  expect(templates).toEqual([{ name: "Receipt", faults: ['2: {{ Date "2006" }}'] }]);
  const file = openAccount("listmonk", {}, { "subscribers.csv": "email,status\nada@example.com,enabled\n" });
  await expect(file).rejects.toThrow("does not say who left which list");
});

it("takes the strictest of two rows of one person, and every state of a plain file", async () => {
  const rows = [
    "email,subscribed,createdAt,optedOutAt,topics,suppressed,plan",
    "ada@example.com,yes,2023-01-01,,News|Offers,,pro",
    "ADA@example.com,no,,,,,",
    "bob@example.com,yes,,2024-01-01T10:00:00Z,,,",
    "cleo@example.com,yes,,,,bounce,",
    "nobody,yes,,,,,",
    "dan@localhost,yes,,,,bounce,",
    "eve@BÜCHER.example,yes,,,,,",
  ];
  const { account } = await openAccount("csv", {}, { "people.csv": rows.join("\n") });
  expect(peopleOf(account)).toEqual({
    "ada@example.com": ["out", "createdAt 2023-01-01T00:00", "default", { plan: "pro" }],
    "bob@example.com": ["left", "optedOutAt 2024-01-01T10:00", "default", {}],
    "cleo@example.com": ["out", "default", {}],
    "eve@xn--bcher-kva.example": ["subscribed", "default", {}],
  });
  // The service would refuse a whole list for one that is none: twice, as a person and as suppressed.
  expect([...account.leftOut]).toEqual([["no email address", 3]]);
  expect(suppressedOf(account)).toEqual([["cleo@example.com", "bounce", undefined]]);
});

it("says which setting is missing, and that a key is wrong", async () => {
  await expect(openAccount("resend", {})).rejects.toThrow("Set RESEND_API_KEY, or name the file");
  await expect(openAccount("resend", { "/none": {} })).rejects.toThrow("Resend answered 404 to GET /suppressions");
});
