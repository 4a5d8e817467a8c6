import { DurableObject } from "cloudflare:workers";
import { lostAfterMs } from "./core/nudge";
import { minuteMs } from "./core/time";
import { cronDoor } from "./doors";
import type { Env } from "./platform/env";
import { openPlatform } from "./platform/open-platform";

/**
 * Front door 4: the one object whose alarm rings every five seconds, whereas a cron tick comes once a minute. A message
 * is sent after its request was answered. If the isolate dies in between, the message is lost, and a sweep of this
 * object finds its row within ten seconds.
 *
 * The alarm sets the next one before it runs its sweeps, so that the next one also comes when the sweeps fail, and is
 * not delayed while they wait for many databases. The tick of every minute sets the alarm again when the chain is
 * broken.
 */
export class SweepObject extends DurableObject<Env> {
  /** Sets the alarm unless one is set. An alarm that is long overdue counts as not set, because it will never ring. */
  async keepGoing(): Promise<void> {
    const next = await this.ctx.storage.getAlarm();
    if (next === null || next < Date.now() - minuteMs) await this.ring();
  }

  override async alarm(): Promise<void> {
    await this.ring();
    const { sweepLostMessages } = await cronDoor();
    await sweepLostMessages(openPlatform(this.env, this.ctx));
  }

  private async ring(): Promise<void> {
    await this.ctx.storage.setAlarm(Date.now() + lostAfterMs);
  }
}
