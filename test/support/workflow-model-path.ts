import { asId, timeOf } from "../../src/core/ids";
import { checkCall, checkMail, checkUpdate, statusFaults } from "./workflow-model-effects";
import { branchOf, isOfType, type ModelContact, type ModelStep } from "./workflow-model-graph";
import type { Play } from "./workflow-model-play";
import { type ExecutionRow, isOver, type StepRow } from "./workflow-model-rows";
import type { Started } from "./workflow-model-starts";
import type { ModelEvent } from "./workflow-model-timeline";
import { View } from "./workflow-model-view";

const gone = "The contact was deleted";
const removed = "Step was removed";
const unitMs = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 };

/** Goes the way of an execution once more, and says where it may not have gone so. */
export function checkPath(play: Play, started: Started): string[] {
  return new Path(play, started).check();
}

class Path {
  private faults: string[] = [];
  /** The events that it may have taken so far, oldest first. Several ways, when two came while it waited. */
  private taken: ModelEvent[][];
  /** After which event of the log a wait may begin that comes next; null for what the step says that led to it. */
  private since: (string | null)[];
  private readonly row: ExecutionRow;
  private readonly view: View;

  constructor(
    private readonly play: Play,
    { row, event }: Started,
  ) {
    this.row = row;
    this.view = new View(play, row);
    this.taken = [event ? [event] : []];
    this.since = [event?.id ?? null];
  }

  check(): string[] {
    const { row } = this;
    let before: StepRow | null = null;
    for (const step of row.steps) {
      this.checkOrder(before, step);
      this.checkStep(before, step);
      before = step;
    }
    this.checkEnd(before);
    if (!this.view.isErased()) this.checkEvent();
    const who = this.play.timeline.contact(row.contact_id)?.email;
    const which = this.play.workflowIds.indexOf(row.workflow_id);
    return this.faults.map((fault) => `execution ${row.id} of ${who} in workflow ${which}: ${fault}`);
  }

  private fault(text: string): void {
    this.faults.push(text);
  }

  private checkOrder(before: StepRow | null, step: StepRow): void {
    const { name, ordinal, started_at: at } = step;
    if (before === null) {
      if (step.type !== "TRIGGER" || ordinal !== 0 || at !== this.row.started_at) this.fault(`begins with ${name}`);
      return;
    }
    if (before.completed_at === null) this.fault(`${name} comes before ${before.name} is over`);
    if (ordinal !== before.ordinal + 1) this.fault(`${name} has the ordinal ${ordinal}`);
    if (at !== before.completed_at) this.fault(`${name} begins at ${at}, and not when ${before.name} is over`);
    const ways = this.view.nextAfter(before);
    if (!ways.some((way) => way !== "end" && way.id === step.step_id))
      this.fault(`${name} comes after ${before.name} by ${before.branch}, where ${waysText(ways)} was to come`);
  }

  private checkStep(before: StepRow | null, step: StepRow): void {
    if (step.completed_at !== null && step.completed_at < step.started_at)
      this.fault(`${step.name} ends before it begins`);
    // It was there when somebody came, and gone when he was to go on from it.
    const isLost = step.reason === removed && this.mayHaveLost(step);
    const isCut = isLost || (this.row.status === "CANCELLED" && step === this.row.steps.at(-1));
    if (isCut && step.status === "SKIPPED") {
      // It may have heard of something that it could not act on any more.
      if (step.type === "WAIT_FOR_EVENT")
        this.mayTake(this.play.timeline.events.filter(({ contactId }) => contactId === this.row.contact_id));
      return;
    }
    const check = this.checks[step.type];
    if (check) check(before, step);
    else this.fault(`${step.type} is no type`);
  }

  private readonly checks: Record<string, (before: StepRow | null, step: StepRow) => void> = {
    TRIGGER: (_, step) => this.expectStatus(step, ["COMPLETED"]),
    EXIT: (_, step) => this.expectStatus(step, ["COMPLETED"]),
    DELAY: (_, step) => this.checkDelay(step),
    WAIT_FOR_EVENT: (before, step) => this.checkWait(before, step),
    CONDITION: (_, step) => this.checkCondition(step),
    UPDATE_CONTACT: (_, step) => this.checkEffect(step, checkUpdate),
    SEND_EMAIL: (_, step) => this.checkEffect(step, checkMail),
    WEBHOOK: (_, step) => this.checkEffect(step, checkCall),
  };

  private checkEffect(step: StepRow, check: (view: View, step: StepRow) => string[]): void {
    this.faults.push(...check(this.view, step));
    this.since = [null];
  }

  private expectStatus(step: StepRow, statuses: string[]): void {
    this.faults.push(...statusFaults(step, statuses));
  }

  private checkDelay(step: StepRow): void {
    const { name, completed_at: to, scheduled_for: until } = step;
    this.since = [null];
    if (to !== null) {
      this.checkSlept(step);
      return;
    }
    this.expectStatus(step, ["WAITING"]);
    const ends = this.endsOf(step);
    if (!ends.includes(until ?? 0)) this.fault(`${name} lasts until ${until}, and not ${ends}`);
    if (!isOver(this.row) && (until ?? 0) <= this.view.now) this.fault(`${name} was to end at ${until}`);
  }

  /** When a delay may have been to end. */
  private endsOf(step: StepRow): number[] {
    const configs = this.view.configs(step, "DELAY");
    return configs.map(({ amount, unit }) => step.started_at + amount * unitMs[unit]);
  }

  private checkSlept(step: StepRow): void {
    const { name, completed_at: to } = step;
    this.expectStatus(step, ["COMPLETED"]);
    const ends = this.endsOf(step);
    if (!ends.some((end) => end <= (to ?? 0))) this.fault(`${name} ended at ${to}, before ${ends}`);
  }

  /** After which events the wait may have begun. */
  private sinces(before: StepRow | null, step: StepRow): string[] {
    const known = this.since.flatMap((since) => since ?? []);
    if (known.length === this.since.length) return known;
    // A step with an effect asks the log at some time; whoever is started by hand waits from the start.
    const asks = before !== null && !["TRIGGER", "DELAY", "WAIT_FOR_EVENT"].includes(before.type);
    const [from, to] =
      before?.type === "TRIGGER"
        ? [before.started_at, before.started_at]
        : [asks ? before.started_at : step.started_at, step.started_at];
    const times = [from, to, ...this.play.timeline.events.map(({ at }) => at)].filter((at) => at >= from && at <= to);
    return [...new Set([...known, ...times.map((at) => this.view.newest(at))])];
  }

  private checkWait(before: StepRow | null, step: StepRow): void {
    const { name, started_at: from, branch } = step;
    const [, to] = this.view.spanOf(step);
    const sinces = this.sinces(before, step);
    const ways = this.view.graphs(from, to).flatMap(({ steps, publicEvents }) => {
      const known = steps.get(step.step_id);
      return isOfType(known, "WAIT_FOR_EVENT")
        ? sinces.map((since) => ({ config: known.config, since, publicEvents }))
        : [];
    });
    const possible = ways.flatMap(({ config, since, publicEvents }) => {
      const until: number | null = config.timeout === undefined ? null : from + config.timeout * 1_000;
      const heard = this.view.heard(config.eventName, since, publicEvents).filter(({ at }) => at <= to);
      return [{ until, heard, name: config.eventName }];
    });
    if (step.status === "WAITING") {
      this.checkWaiting(step, possible);
      return;
    }
    this.expectStatus(step, ["COMPLETED"]);
    if (branch === "event") {
      // The log's own time decides, which may be earlier than that at which the event was there to be seen.
      const events = possible.flatMap(({ heard, until }) =>
        heard.filter(({ id }) => until === null || timeOf(asId(id)) < until),
      );
      if (events.length === 0) this.fault(`${name} heard of nothing that it awaits`);
      else {
        const before = this.taken.length;
        this.mayTake([...new Set(events)]);
        this.taken = this.taken.slice(before);
        this.since = [...new Set(events)].map(({ id }) => id);
      }
      return;
    }
    this.since = [null];
    const isRight = possible.some(
      ({ until, heard }) => until !== null && until <= to && heard.every(({ at }) => at >= until),
    );
    if (!isRight) this.fault(`${name} went on by ${branch}, as if it had waited in vain`);
  }

  private checkWaiting(step: StepRow, possible: { until: number | null; heard: ModelEvent[]; name: string }[]): void {
    const { name, scheduled_for: until } = step;
    const { row } = this;
    if (isOver(row)) return;
    const isRight = possible.some(
      (one) =>
        one.until === until &&
        one.name === row.awaits &&
        one.heard.length === 0 &&
        (until === null || until > this.view.now),
    );
    if (!isRight) this.fault(`${name} waits for ${row.awaits} until ${until}, and was to go on`);
  }

  private checkCondition(step: StepRow): void {
    this.expectStatus(step, ["COMPLETED"]);
    const branches = new Set<string>();
    for (const graph of this.view.graphs(...this.view.spanOf(step))) {
      const known = graph.steps.get(step.step_id);
      if (!isOfType(known, "CONDITION")) continue;
      for (const contact of this.view.contacts(...this.view.spanOf(step))) {
        for (const event of contact ? this.taken.map(saidBy) : []) {
          for (const context of this.view.contexts)
            branches.add(branchOf(known.config, { contact: contact as ModelContact, event, context }));
        }
      }
    }
    if (step.branch === null || !branches.has(step.branch))
      this.fault(`${step.name} took ${step.branch}, and not ${[...branches]}`);
    this.since = [null];
  }

  /** What became of it in the end, and why. */
  private checkEnd(last: StepRow | null): void {
    const { row } = this;
    if (!isOver(row)) {
      if (row.status !== "WAITING" || last === null || last.completed_at !== null)
        this.fault(`is ${row.status} at rest`);
      if (this.view.isErased()) this.fault("goes on without its contact");
      return;
    }
    if (last?.completed_at === null) this.fault(`is ${row.status}, and ${last.name} is ${last.status}`);
    switch (row.status) {
      case "COMPLETED":
        if (last === null || !this.view.nextAfter(last).includes("end")) this.fault("is completed before its end");
        return;
      case "EXITED": {
        const reasons = last?.type === "EXIT" ? this.view.configs(last, "EXIT").map(({ reason = null }) => reason) : [];
        const isGone = row.exit_reason === removed && this.mayHaveLost(last);
        if (!reasons.includes(row.exit_reason) && !isGone) this.fault(`has exited: ${row.exit_reason}`);
        return;
      }
      case "FAILED":
        if (last?.status !== "FAILED" || last.error !== row.error) this.fault(`has failed: ${row.error}`);
        return;
      default:
        this.checkCancelled();
    }
  }

  /** A step was gone when it came there, or when it went on from it. */
  private mayHaveLost(last: StepRow | null): boolean {
    const at = this.row.completed_at ?? this.view.now;
    const from = last?.started_at ?? this.row.started_at;
    const graphs = this.view.graphs(from, at);
    const ids = [this.row.step_id, last?.step_id, ...graphs.flatMap(({ steps }) => [...steps.keys()])];
    return ids.some((id) => id && graphs.some(({ steps }) => !steps.has(id)));
  }

  private checkCancelled(): void {
    const { exit_reason: reason, completed_at: at, id, workflow_id: workflowId } = this.row;
    const { calls } = this.play.shards;
    const own = calls.filter(({ shard }) => shard === this.row.shard);
    const one = own.some((call) => call.name === "cancel" && call.at === at && call.values[1] === id);
    // It looks for its project first, and goes on piece by piece.
    const all = own.some(
      ({ name, values: [, value, why], at: from, until }) =>
        name === "cancelAll" && value === workflowId && why === "Cancelled" && isBetween(from, at, until),
    );
    // Who began in a disabled project is cancelled, also when it is enabled again meanwhile.
    const isOfDisabled = !this.play.isDisabled.isSurely(false, this.row.started_at, at ?? 0);
    const isRight =
      (reason === "Cancelled" && (one || all)) ||
      (reason === gone && this.view.contacts(at ?? 0, at ?? 0).includes(null)) ||
      (reason === "Project disabled" && isOfDisabled);
    if (!isRight) this.fault(`began at ${this.row.started_at} and was cancelled at ${at}: ${reason}`);
  }

  private mayTake(events: ModelEvent[]): void {
    this.taken.push(...this.taken.flatMap((before) => events.map((event) => [...before, event])));
  }

  /** The event that it names, and what all say that it has taken. */
  private checkEvent(): void {
    const { event_id: id, taken } = this.row;
    const found: Record<string, unknown> = saidBy(taken);
    const isRight = this.taken.some((events) => {
      const said = saidBy(events);
      return (events.at(-1)?.id ?? null) === id && Object.keys(said).every((key) => found[key] === said[key]);
    });
    const ways = this.taken.map((events) => JSON.stringify([events.at(-1)?.id, saidBy(events)]));
    if (!isRight) this.fault(`has the event ${id}, which says ${JSON.stringify(found)}, and not ${ways.join(" or ")}`);
  }
}

function isBetween(from: number, at: number | null, until: number | undefined): boolean {
  return at !== null && from <= at && at <= (until ?? at);
}

/** A later event says a key anew. */
function saidBy(events: { data: Record<string, unknown> }[]): Record<string, unknown> {
  return Object.assign({}, ...events.map(({ data }) => data));
}

function waysText(ways: (ModelStep | "end")[]): string {
  return [...new Set(ways.map((way) => (way === "end" ? way : way.name)))].join(" or ");
}
