import type { Lane } from "../../../core/mail/message";
import { laneOf } from "../../../core/mail/priority";
import { counted, duration, someOf } from "../../../core/operating/counted";
import { fail, ok, warn } from "../../../core/operating/health-finding";
import { hourMs, iso, minuteMs } from "../../../core/time";
import { allAccounts } from "../../../platform/mailer/accounts";
import { type HealthCheck, sumOf, worstProjects } from "../look";

/**
 * How long mail of each lane can wait before this check warns or fails. A campaign to a million contacts takes hours at
 * the pace of most accounts.
 */
const patience: Record<Lane, { warnMs: number; failMs: number }> = {
  transactional: { warnMs: 2 * minuteMs, failMs: 15 * minuteMs },
  campaign: { warnMs: 6 * hourMs, failMs: 24 * hourMs },
};

/** Checks how long the oldest due mail has been waiting. */
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
    const mend = "Look at mail_lanes, mail_provider and crons: mail is sent as soon as they recover, and none is lost.";
    if (late.some(({ lane, waitsMs }) => waitsMs >= patience[lane].failMs)) {
      return fail("Due mail has been waiting for too long.", { detail, mend });
    }
    if (late.some(({ lane, waitsMs }) => waitsMs >= patience[lane].warnMs)) {
      return warn("Mail waits longer than usual.", { detail, mend });
    }
    return ok(late.length === 0 ? "No due mail is waiting." : "Mail is being sent.", detail || null);
  },
};

const mostUnknown = 10;

/** Checks how much mail of the last hour failed or has an unknown outcome. */
export const failedMail: HealthCheck = {
  name: "failed_mail",
  async examine(look) {
    const states = await look.databases();
    const failed = sumOf(states, (state) => state.failedMail);
    const unknown = sumOf(states, (state) => state.unknownMail);
    if (failed + unknown === 0) return ok("No mail failed within the last hour.");
    const found = {
      detail: `${counted(failed, "email")} FAILED. The provider's answer for ${counted(unknown, "email")} was lost (UNKNOWN).${await worstProjects(look, states, "mail")}`,
      mend:
        "GET /emails?status=FAILED with the project's key says why. POST /emails/retry sends the emails " +
        "again, but UNKNOWN ones may already have arrived.",
    };
    return unknown >= mostUnknown
      ? fail("Answers of the mail provider were lost within the last hour.", found)
      : warn("Mail failed within the last hour.", found);
  },
};

/** Checks that the providers' accounts accept mail of both lanes. */
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
      return fail("A mail provider does not accept mail, so mail waits.", {
        detail: `${since.join(", ")}. A single email probes the provider every few minutes.`,
        mend:
          "Check mail_provider, and the provider's status page and account. Waiting mail is sent once the " +
          "provider answers.",
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
        detail: `Throttled: ${throttled.map(({ about }) => about).join(" and ")}.`,
        mend: "Set MAIL_RATE_PER_SECOND to what the provider's account allows.",
      });
    }
    return ok("The mail provider accepts mail.");
  },
};

/** Checks that no project's marketing mail is paused for its reputation. */
export const reputation: HealthCheck = {
  name: "reputation",
  async examine({ control }) {
    const { pausedProjects } = await control();
    if (pausedProjects.length === 0) return ok("No project's marketing mail is paused.");
    return warn(`The marketing mail of ${counted(pausedProjects.length, "project")} is paused.`, {
      detail: someOf(pausedProjects.map(({ id, reason }) => `${id}: ${reason}`)),
      mend: "When the project's list is clean: PATCH /admin/projects/{id} { sendingPaused: null }.",
    });
  },
};

/** Checks that the domains of senders still have their DNS records. */
export const senderDomains: HealthCheck = {
  name: "sender_domains",
  async examine({ databases }) {
    const failing = (await databases()).flatMap(({ failingDomains }) => failingDomains);
    if (failing.length === 0) return ok("Each verified sender domain still has its DNS records.");
    return warn(`${counted(failing.length, "verified sender domain")} lost DNS records.`, {
      detail: someOf(failing.map(({ domain, failingSince }) => `${domain} since ${iso(failingSince)}`)),
      mend:
        "GET /domains/{id}/verify says which records are missing. After three days without them, the domain " +
        "can no longer send.",
    });
  },
};
