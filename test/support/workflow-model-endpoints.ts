import { asId, publicId } from "../../src/core/ids";
import type { Outside } from "./outside";
import type { Random } from "./random";

interface Answered {
  at: number;
  /** 0 when nobody answered. */
  status: number;
}

/** Endpoints that WEBHOOK steps call: what they answered to which key. */
export class Endpoints {
  /** By the key of the call. */
  answers = new Map<string, Answered[]>();
  faults: string[] = [];
  isCalm = false;
  private bodies = new Map<string, string>();

  constructor(
    outside: Outside,
    hosts: string[],
    private readonly random: Random,
    private readonly now: () => number,
  ) {
    for (const host of hosts) {
      outside.play(host, ({ headers, body, url, method }) => {
        const key = headers.get("idempotency-key") ?? "";
        const text = `${method} ${url} ${new TextDecoder().decode(body)}`;
        if ((this.bodies.get(key) ?? text) !== text) this.faults.push(`The call ${key} came with another content`);
        this.bodies.set(key, text);
        return this.answer(key);
      });
    }
  }

  /** What the step of the execution was answered, by their stored ids. */
  of(executionId: string, stepId: string): Answered[] {
    return this.answers.get([executionId, stepId].map((id) => publicId(asId(id))).join(":")) ?? [];
  }

  private answer(key: string): Response {
    const status = this.isCalm ? 200 : this.random.of([200, 200, 200, 201, 204, 404, 500, 503, 429, 0]);
    this.answers.set(key, [...(this.answers.get(key) ?? []), { at: this.now(), status }]);
    if (status === 0) throw new TypeError("Nobody answers");
    return new Response(status === 204 ? null : `{"status":${status}}`, { status });
  }
}
