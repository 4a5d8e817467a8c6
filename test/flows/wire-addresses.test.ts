import PostalMime from "postal-mime";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SendEmail } from "../../src/features/send/schema";
import { sendEmails } from "../../src/features/send/send";
import { Outside } from "../support/outside";
import { newProject } from "../support/project";
import { type ProviderDouble, postmarkDouble, resendDouble, sesDouble } from "../support/provider-doubles";
import { World } from "../support/world";

let outside: Outside;
beforeEach(() => {
  outside = new Outside();
});
afterEach(() => vi.unstubAllGlobals());

/** The addresses with which a provider is called, in the notation of headers. */
interface Wire {
  from: string;
  to: string;
  replyTo: string;
  envelope: string;
}

// biome-ignore lint/suspicious/noExplicitAny: the body of a call, as it came
type Body = any;

const inOneText = ({ name = "", address = "" }: { name?: string; address?: string } = {}) =>
  name === "" ? address : `"${name}" <${address}>`;

async function wireOfSes({ Content, Destination }: Body): Promise<Wire> {
  const mail = await PostalMime.parse(Uint8Array.from(atob(Content.Raw.Data), (c) => c.charCodeAt(0)));
  return {
    from: inOneText(mail.from),
    to: inOneText(mail.to?.[0]),
    replyTo: mail.replyTo?.map(inOneText).join(", ") ?? "",
    envelope: Destination.ToAddresses.join(", "),
  };
}

const providers: [name: string, open: (outside: Outside) => ProviderDouble, read: (body: Body) => Promise<Wire>][] = [
  ["ses", sesDouble, wireOfSes],
  [
    "resend",
    resendDouble,
    async ({ from, to, reply_to }) => ({ from, to: to[0], replyTo: reply_to, envelope: to[0].replace(/.*<|>$/g, "") }),
  ],
  [
    "postmark",
    postmarkDouble,
    async ({ From, To, ReplyTo }) => ({ from: From, to: To, replyTo: ReplyTo, envelope: To.replace(/.*<|>$/g, "") }),
  ],
];

async function wireOf([, open, read]: (typeof providers)[number], fields: Record<string, unknown>): Promise<Wire> {
  const provider = open(outside);
  const world = new World();
  world.settings = provider.settings;
  const project = await newProject();
  const { ctx } = await world.context(project);
  const sound = { from: `hello@${project.domain}`, subject: "Hello", body: "<p>Hello</p>" };
  const from = { name: "Petrel", email: `hello@${project.domain.toUpperCase().replace("T", "Ｔ")}` };
  await sendEmails(ctx, SendEmail.parse({ ...sound, from, ...fields }));
  await world.drain();
  // A provider's batch is a list of mails.
  const [body] = [provider.taken[0]?.json].flat();
  const wire = await read(body);
  expect(wire.from).toBe(`"Petrel" <hello@${project.domain}>`);
  return wire;
}

describe.each(providers)("%s", (...provider) => {
  it.each([
    ["Ada.L@ｅxample.com", "Ada.L@example.com"],
    ["Ada.L@EXAMPLE.COM", "Ada.L@example.com"],
    ["ada@MÜNCHEN.de", "ada@xn--mnchen-3ya.de"],
    ["ada@例え。テスト", "ada@xn--r8jz45g.xn--zckzah"],
    ["ada@exam\u00adple.com", "ada@example.com"],
  ])("gets the domain in ASCII and the part before the @ as it was written: %s", async (written, address) => {
    const wire = await wireOf(provider, { to: { name: "Ada", email: written }, reply: "desk@ＥXAMPLE.com" });
    expect(wire).toMatchObject({ to: `"Ada" <${address}>`, replyTo: "desk@example.com", envelope: address });
  });

  it("gets the same in a Reply-To of the caller's own", async () => {
    const headers = { "reply-to": '"Desk, north" <Desk@MÜNCHEN.de>, Bob@ｅxample.com' };
    const wire = await wireOf(provider, { to: "ada@example.com", reply: "desk@example.com", headers });
    expect(wire.replyTo).toBe('"Desk, north" <Desk@xn--mnchen-3ya.de>, Bob@example.com');
  });
});
