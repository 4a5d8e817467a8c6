import { SnsMessage, snsHashes, snsStringToSign } from "../../src/core/mail/sns";
import { selfSigned } from "./certificate";
import type { Outside } from "./outside";

/** One for all doubles of a file: to make a key pair takes longer than most tests. */
let certificate: Awaited<ReturnType<typeof selfSigned>> | undefined;

/** An SNS that signs, shows its certificate, and remembers which subscriptions were confirmed. */
export class SnsDouble {
  readonly host = "sns.eu-west-1.amazonaws.com";
  readonly topicArn = "arn:aws:sns:eu-west-1:123456789012:petrel";
  confirmed: string[] = [];
  /** Of its own for each double, as the Worker keeps the certificates it has seen. */
  readonly certificateUrl = `https://${this.host}/SimpleNotificationService-${crypto.randomUUID()}.pem`;
  private keys: CryptoKeyPair | null = null;

  constructor(private readonly outside: Outside) {}

  async start(): Promise<this> {
    certificate ??= await selfSigned();
    const { keys, pem } = certificate;
    this.keys = keys;
    this.outside.play(this.host, ({ url }) => {
      if (url.href === this.certificateUrl) return new Response(pem);
      this.confirmed.push(url.searchParams.get("Token") ?? "");
      return new Response("<ConfirmSubscriptionResponse/>");
    });
    return this;
  }

  /** A message as SNS would post it. What is given in `more` is signed along; what is `forged` is not. */
  async message(
    more: Partial<SnsMessage> = {},
    { version = "2", forged = {} }: { version?: "1" | "2"; forged?: Record<string, unknown> } = {},
  ): Promise<string> {
    const message = SnsMessage.parse({
      Type: "Notification",
      MessageId: crypto.randomUUID(),
      TopicArn: this.topicArn,
      Message: "{}",
      Timestamp: new Date().toISOString(),
      SignatureVersion: version,
      Signature: "",
      SigningCertURL: this.certificateUrl,
      ...more,
    });
    return JSON.stringify({ ...message, Signature: await this.sign(message, version), ...forged });
  }

  async event(event: unknown, options: Parameters<SnsDouble["message"]>[1] = {}): Promise<string> {
    return this.message({ Message: JSON.stringify(event) }, options);
  }

  private async sign(message: SnsMessage, version: "1" | "2"): Promise<string> {
    if (this.keys === null) throw new Error("Not started");
    const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: snsHashes[version] };
    const pkcs8 = (await crypto.subtle.exportKey("pkcs8", this.keys.privateKey)) as ArrayBuffer;
    const key = await crypto.subtle.importKey("pkcs8", pkcs8, algorithm, false, ["sign"]);
    const text = new TextEncoder().encode(snsStringToSign(message));
    const signature = await crypto.subtle.sign(algorithm, key, text);
    return btoa(String.fromCharCode(...new Uint8Array(signature)));
  }
}
