import type { Env } from "../../src/platform/env";
import { type Call, type Outside, rejectOn } from "./outside";
import { sigV4 } from "./sigv4";

/** What a provider double does with the next mails, until it is told otherwise. */
export type Manner =
  | "accept"
  | { status: number; body: unknown; headers?: Record<string, string> }
  | "cut before accepting"
  | "cut after accepting"
  | "cut within the answer"
  | "no answer";

export interface ProviderDouble {
  name: string;
  host: string;
  settings: Partial<Env>;
  manner: Manner;
  /** What it took, in order, as the bodies of the calls; a mail that it recognised is not taken twice. */
  taken: Call[];
  /** The tag that the call gave it for this mail. */
  tagIn(call: Call): string;
  messageId: string;
}

const secret = "secret-that-must-never-show";

function double(
  outside: Outside,
  own: Pick<ProviderDouble, "name" | "host" | "settings" | "tagIn" | "messageId">,
  isMail: (call: Call) => boolean,
  answer: (call: Call) => unknown,
  check: (call: Call) => Promise<Response | null>,
  recognises: (call: Call, taken: Call[]) => boolean = () => false,
): ProviderDouble {
  const provider: ProviderDouble = { ...own, manner: "accept", taken: [] };
  outside.play(own.host, async (call) => {
    const refusal = await check(call);
    if (refusal) return refusal;
    if (!isMail(call)) return Response.json({});
    const take = () => {
      if (!recognises(call, provider.taken)) provider.taken.push(call);
    };
    const { manner } = provider;
    if (typeof manner === "object") return Response.json(manner.body, manner);
    if (manner === "cut before accepting") throw new TypeError("Network connection lost.");
    if (manner === "no answer") return new Promise((_, reject) => rejectOn(call.signal, reject));
    take();
    if (manner === "cut after accepting") throw new TypeError("Network connection lost.");
    if (manner === "cut within the answer") return new Response(new ReadableStream({ start: (c) => c.error("cut") }));
    return Response.json(answer(call));
  });
  return provider;
}

export function sesDouble(outside: Outside): ProviderDouble {
  const host = "email.eu-west-1.amazonaws.com";
  const key = { region: "eu-west-1", service: "ses", accessKeyId: "AKIATEST", secret };
  return double(
    outside,
    {
      name: "ses",
      host,
      messageId: "0100-ses",
      settings: {
        MAIL_PROVIDER: "ses",
        SES_REGION: key.region,
        SES_ACCESS_KEY_ID: key.accessKeyId,
        SES_SECRET_ACCESS_KEY: secret,
        SES_CONFIGURATION_SET: "petrel",
        SES_TOPIC_ARN: "arn:aws:sns:eu-west-1:123456789012:petrel",
      },
      tagIn: ({ json }) => json.EmailTags.find((tag: { Name: string }) => tag.Name === "petrel").Value,
    },
    ({ method, url }) => method === "POST" && url.pathname === "/v2/email/outbound-emails",
    () => ({ MessageId: "0100-ses" }),
    async (call) => {
      const expected = await sigV4({ ...call, url: call.url.href }, key);
      return call.headers.get("Authorization") === expected
        ? null
        : Response.json({ message: `Credential=${key.accessKeyId}` }, { status: 403 });
    },
  );
}

export function resendDouble(outside: Outside): ProviderDouble {
  const keyOf = (call: Call) => call.headers.get("Idempotency-Key");
  return double(
    outside,
    {
      name: "resend",
      host: "api.resend.com",
      messageId: "re-1",
      settings: {
        MAIL_PROVIDER: "resend",
        RESEND_API_KEY: secret,
        RESEND_WEBHOOK_SECRET: "whsec_dGVzdC13ZWJob29rLXNlY3JldA==",
      },
      tagIn: ({ json }) => json.tags.find((tag: { name: string }) => tag.name === "petrel").value,
    },
    ({ method, url }) => method === "POST" && /^\/emails(\/batch)?$/.test(url.pathname),
    ({ json }) => (Array.isArray(json) ? { data: json.map(() => ({ id: "re-1" })) } : { id: "re-1" }),
    async ({ headers }) =>
      headers.get("Authorization") === `Bearer ${secret}` && headers.get("User-Agent")
        ? null
        : Response.json({ name: "invalid_api_key", message: "API key is invalid" }, { status: 403 }),
    (call, taken) => taken.some((before) => keyOf(before) === keyOf(call)),
  );
}

export function postmarkDouble(outside: Outside): ProviderDouble {
  return double(
    outside,
    {
      name: "postmark",
      host: "api.postmarkapp.com",
      messageId: "pm-1",
      settings: {
        MAIL_PROVIDER: "postmark",
        POSTMARK_SERVER_TOKEN: secret,
        POSTMARK_ACCOUNT_TOKEN: "account-token",
        POSTMARK_WEBHOOK_USER: "petrel",
        POSTMARK_WEBHOOK_PASSWORD: "hook-password",
      },
      tagIn: ({ json }) => json.Metadata.petrel,
    },
    ({ method, url }) => method === "POST" && /^\/email(\/batch)?$/.test(url.pathname),
    ({ json }) => {
      const accepted = { ErrorCode: 0, Message: "OK", MessageID: "pm-1" };
      return Array.isArray(json) ? json.map(() => accepted) : accepted;
    },
    async ({ headers, url }) => {
      const isAccount = url.pathname.startsWith("/domains");
      const token = headers.get(isAccount ? "X-Postmark-Account-Token" : "X-Postmark-Server-Token");
      return token === (isAccount ? "account-token" : secret)
        ? null
        : Response.json({ ErrorCode: 10, Message: "No token" }, { status: 401 });
    },
  );
}

export const secrets = [secret, "AKIATEST", "account-token"];
