import { DurableObject } from "cloudflare:workers";
import { lostAfterMs } from "./core/nudge";
import { minuteMs } from "./core/time";
import { cronDoor } from "./doors";
import type { Env } from "./platform/env";
import { openPlatform } from "./platform/open-platform";

/**
 * Front door 4: the one object whose alarm rings every five seconds, because a cron tick comes only once a minute. A
 * request is answered before its queue message is sent. If the isolate dies in between, the message is lost, and a
 * sweep of this object finds the row of the message within ten seconds.
 *
 * Each alarm sets the next alarm before it runs the sweeps, so a failed or slow sweep neither prevents nor delays the
 * next alarm. If no alarm is set nevertheless, the tick of every minute sets one.
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
