import type { Message } from "../../src/core/mail/message";
import type { Receipt } from "../../src/core/mail/receipt";
import type { Random } from "./random";
import { accepts, type World } from "./world";

/** How a call ends: for all of its mails, or for each its own way. */
type Ending = "accepted" | "mixed" | "busy" | "unavailable" | "throttled" | "blocked" | "taken, but threw" | "threw";
const manyEndings: readonly Ending[] = [
  ...(["accepted", "accepted", "accepted", "accepted", "accepted", "accepted", "mixed", "mixed"] as const),
  ...(["busy", "unavailable", "throttled", "blocked", "taken, but threw", "threw"] as const),
];

const receipts: Record<Exclude<Ending, "accepted" | "mixed" | "taken, but threw" | "threw">, Receipt> = {
  busy: { kind: "busy", reason: "Busy" },
  unavailable: { kind: "unavailable", reason: "503" },
  throttled: { kind: "throttled", reason: "429", retryAfterMs: 3_000 },
  blocked: { kind: "blocked", reason: "401" },
};

interface Take {
  key: string;
  to: string;
  at: number;
  /** When the mail was handed over for this call. */
  handedAt: number;
}

/** What the provider knows: which mails it took, under which key, and whether a key came back with other mails. */
export class ChaoticProvider {
  takes = new Map<string, Take[]>();
  /** Of which mails an answer was lost. */
  lost = new Set<string>();
  /** How often it did not take a mail, and said so. */
  refusals = new Map<string, number>();
  private byKey = new Map<string, string>();
  private contents = new Map<string, string>();
  faults: string[] = [];
  callTimes: number[] = [];
  isCalm = false;
  /** How calls end, by chance. */
  endings = manyEndings;
  /** Until when every call ends the same way. */
  outage: { ending: Ending; until: number } | null = null;
  /** When the mails of the call that begins now were handed over. */
  handedAt = 0;
  private current: { calls: number; ending: Ending; handedAt: number } = { calls: 0, ending: "accepted", handedAt: 0 };

  constructor(
    private world: World,
    private random: Random,
    private meanwhile: () => Promise<void> = async () => {},
  ) {}

  answer = (message: Message): Promise<Receipt> => {
    const { calls } = this.world;
    const call = calls.at(-1);
    if (!call) throw new Error("There is no call");
    if (this.current.calls !== calls.length) {
      this.current = { calls: calls.length, ending: this.nextEnding(), handedAt: this.handedAt };
      this.callTimes.push(this.world.now);
      if (this.world.idempotencyWindowMs > 0) this.compare(call.key, call.emailIds.join());
    }
    return this.end(this.current, call.key, message);
  };

  private nextEnding(): Ending {
    if (this.isCalm) return "accepted";
    const { outage } = this;
    return outage && this.world.now < outage.until ? outage.ending : this.random.of(this.endings);
  }

  private compare(key: string, emailIds: string): void {
    const known = this.byKey.get(key);
    if (known !== undefined && known !== emailIds) this.faults.push(`The key ${key} came with other mails`);
    this.byKey.set(key, emailIds);
  }

  private async end(
    { ending, handedAt }: { ending: Ending; handedAt: number },
    key: string,
    message: Message,
  ): Promise<Receipt> {
    const { emailId } = message;
    const own = ending === "mixed" ? this.random.of(["accepted", "refused", "busy"] as const) : ending;
    if (own === "accepted" || own === "taken, but threw") this.take(key, handedAt, message);
    if (!this.isCalm && this.random.isIn(8)) await this.meanwhile();
    if (own === "accepted") return accepts();
    if (own === "refused") {
      // A provider that recognises the key gives the first answer again.
      const known = this.world.idempotencyWindowMs > 0 && this.takes.get(emailId)?.some((take) => take.key === key);
      if (known) return accepts();
    }
    if (own === "threw" || own === "taken, but threw") {
      this.lost.add(emailId);
      throw new Error("No answer");
    }
    this.refusals.set(emailId, (this.refusals.get(emailId) ?? 0) + 1);
    return own === "refused" ? { kind: "refused", reason: "No such mailbox" } : receipts[own];
  }

  private take(key: string, handedAt: number, message: Message): void {
    const { emailId, to } = message;
    const takes = this.takes.get(emailId) ?? [];
    this.takes.set(emailId, takes);
    if (this.world.idempotencyWindowMs > 0) {
      const name = `${key} ${emailId}`;
      const content = JSON.stringify(message);
      if ((this.contents.get(name) ?? content) !== content) this.faults.push(`${name} came with another content`);
      this.contents.set(name, content);
      if (takes.some((take) => take.key === key)) return;
    }
    takes.push({ key, to: to.email, at: this.world.now, handedAt });
  }
}
