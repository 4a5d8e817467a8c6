import type { Lane } from "../../../core/mail/message";
import { laneOf } from "../../../core/mail/priority";
import { counted, duration, someOf } from "../../../core/operating/counted";
import { fail, ok, warn } from "../../../core/operating/health-finding";
import { hourMs, iso, minuteMs } from "../../../core/time";
import { allAccounts } from "../../../platform/mailer/accounts";
import { type HealthCheck, sumOf } from "../look";

/** How long mail of each lane may wait: a campaign of a million takes hours at the pace of most accounts. */
const patience: Record<Lane, { warnMs: number; failMs: number }> = {
  transactional: { warnMs: 2 * minuteMs, failMs: 15 * minuteMs },
  campaign: { warnMs: 6 * hourMs, failMs: 24 * hourMs },
};

/** How long the oldest mail that is due has been waiting. */
export const queuedMail: HealthCheck = {
  name: "queued_mail",
  async examine({ now, databases }) {
    const waiting = (await databases()).flatMap(({ waitingMail }) => waitingMail);
    const late = waiting.map(({ priority, oldest, projects }) => ({
      ...{ lane: laneOf(priority), waitsMs: now - oldest, projects },
    }));
    const detail = someOf(
      late.map(({ lane, waitsMs, projects }) => {
        return `${lane} mail of ${counted(projects, "project")} for up to ${duration(waitsMs)}`;
      }),
    );
    const mend = "Look at mail_lanes, mail_provider and crons: mail goes as soon as they are well, and none is lost.";
    if (late.some(({ lane, waitsMs }) => waitsMs >= patience[lane].failMs)) {
      return fail("Mail that is due has not been sent for long.", { detail, mend });
    }
    if (late.some(({ lane, waitsMs }) => waitsMs >= patience[lane].warnMs)) {
      return warn("Mail waits longer than usual.", { detail, mend });
    }
    return ok(late.length === 0 ? "No mail that is due is waiting." : "Mail is on its way.", detail || null);
  },
};

const mostUnknown = 10;

/** How much mail of the last hour was not sent, or perhaps not. */
export const failedMail: HealthCheck = {
  name: "failed_mail",
  async examine({ databases }) {
    const states = await databases();
    const failed = sumOf(states, (state) => state.failedMail);
    const unknown = sumOf(states, (state) => state.unknownMail);
    if (failed + unknown === 0) return ok("No mail failed within the last hour.");
    const found = {
      detail: `${counted(failed, "email")} FAILED, and of ${counted(unknown, "email")} the provider's answer was lost (UNKNOWN).`,
      mend:
        "GET /emails?status=FAILED with a project's key says why of each. POST /emails/retry sends them again; " +
        "UNKNOWN ones may have arrived.",
    };
    return unknown >= mostUnknown
      ? fail("Answers of the mail provider were lost within the last hour.", found)
      : warn("Mail failed within the last hour.", found);
  },
};

/** Whether the providers' accounts take mail of both lanes. */
export const mailLanes: HealthCheck = {
  name: "mail_lanes",
  async examine({ platform, now }) {
    const known = await Promise.all(
      allAccounts(platform.accounts).map(async ({ mailer, pace }) => ({
        name: mailer.name,
        lanes: await pace.lanes(),
      })),
    );
    const states = known.flatMap(({ name, lanes }) =>
      lanes === null
        ? []
        : Object.entries(lanes).map(([lane, state]) => ({ about: `${lane} mail by ${name}`, ...state })),
    );
    const paused = states.filter(({ pausedUntil }) => pausedUntil !== null);
    if (paused.length > 0) {
      const since = paused.map(({ about, pausedSince }) => `${about} since ${iso(pausedSince ?? now)}`);
      return fail("A mail provider does not take mail, so it waits.", {
        detail: `${since.join(", ")}. One mail tries it again every few minutes.`,
        mend: "Look at mail_provider, and at the provider's status page and account. Mail goes when it answers.",
      });
    }
    if (known.some(({ lanes }) => lanes === null)) {
      return warn("The object that keeps a provider's pace does not answer.", {
        mend: "Look at the log of the Worker and at cloudflarestatus.com. Meanwhile mail is sent without a pace.",
      });
    }
    const throttled = states.filter(({ restsUntil }) => restsUntil > now);
    if (throttled.length > 0) {
      return warn("A mail provider asks for a slower pace.", {
        detail: `It throttles ${throttled.map(({ about }) => about).join(" and ")}.`,
        mend: "Set MAIL_RATE_PER_SECOND to what the provider's account allows.",
      });
    }
    return ok("The mail provider takes mail.");
  },
};

/** Whether the reputation of projects is good. */
export const reputation: HealthCheck = {
  name: "reputation",
  async examine({ control }) {
    const { pausedProjects } = await control();
    if (pausedProjects.length === 0) return ok("No project's marketing mail is paused.");
    return warn(`The marketing mail of ${counted(pausedProjects.length, "project")} is paused.`, {
      detail: someOf(pausedProjects.map(({ id, reason }) => `${id}: ${reason}`)),
      mend: "When its list is clean: PATCH /admin/projects/{id} { sendingPaused: null }.",
    });
  },
};

/** Whether the domains that senders use still have their DNS records. */
export const senderDomains: HealthCheck = {
  name: "sender_domains",
  async examine({ databases }) {
    const failing = (await databases()).flatMap(({ failingDomains }) => failingDomains);
    if (failing.length === 0) return ok("Each verified sender domain still has its DNS records.");
    return warn(`${counted(failing.length, "verified sender domain")} lost DNS records.`, {
      detail: someOf(failing.map(({ domain, failingSince }) => `${domain} since ${iso(failingSince)}`)),
      mend: "GET /domains/{id}/verify says which records are missing. After three days such a domain may not send.",
    });
  },
};
