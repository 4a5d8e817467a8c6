import { type Campaign, type Petrel, PetrelError, VersionMismatchError } from "petrel-client";
import { changedFields, changesOf, type Draft, draftOf, type Field, pick, withWholeAudience } from "./draft";
import type { Faster, Kept, SaveState } from "./kept";
import type { LocalCopy } from "./local-copy";
import { merge, taking } from "./merge";

const restMs = 1_200;
const againMs = 4_000;

/**
 * Saves a draft: in the browser with each change, and in the service when the typing pauses, only on top of the version
 * that the page has seen. Saves run one after another.
 */
export class Keeper {
  #kept: Kept;
  /** The draft that the service has, in the form in which it was sent. */
  #saved: Draft;
  #saving: Promise<void> | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(
    private readonly petrel: Petrel,
    private readonly copy: LocalCopy<Draft>,
    campaign: Campaign,
    /** Called with each saved version, even after the page was left. */
    private readonly onSaved: (campaign: Campaign) => void,
  ) {
    this.#saved = draftOf(campaign);
    this.#kept = {
      ...{ draft: this.#saved, campaign, state: { is: "saved" } },
      ...{ isCopied: true, isRestored: false, merged: null, aside: null },
    };
    this.#restore();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    window.addEventListener("online", this.#retry);
    if (this.#kept.state.is === "typed") this.#saveIn(0);
    return () => {
      this.#listeners.delete(listener);
      window.removeEventListener("online", this.#retry);
      clearTimeout(this.#timer);
      // The page is being left, so the typed text is saved now.
      if (this.#kept.state.is === "typed") void this.#save();
    };
  };

  snapshot = (): Kept => this.#kept;

  /** Whether the service has the whole draft. */
  get isSaved(): boolean {
    return this.#kept.state.is === "saved";
  }

  change(change: Partial<Draft>): void {
    const { state } = this.#kept;
    const draft = { ...this.#kept.draft, ...change };
    this.#set({ draft, ...(state.is !== "conflict" && { state: { is: "typed" } }) });
    this.#copy();
    this.#saveIn(restMs);
  }

  /** Saves at once. Returns whether the service then has the whole draft. */
  async flush(): Promise<boolean> {
    clearTimeout(this.#timer);
    // A text that was typed during a save needs another save.
    for (let turn = 0; turn < 3 && this.#kept.state.is !== "conflict" && !this.isSaved; turn++) await this.#save();
    return this.isSaved;
  }

  /** Takes over the service's version, unless a save is under way. */
  hear(campaign: Campaign): void {
    if (campaign.version < this.#kept.campaign.version || this.#saving !== null) return;
    if (this.isSaved) this.#adopt(campaign);
    else if (this.#kept.state.is === "held" && campaign.status === "DRAFT") {
      this.#set({ campaign: { ...this.#kept.campaign, status: "DRAFT" }, state: { is: "typed" } });
      this.#saveIn(0);
    }
  }

  /** Ends a conflict: these fields get the other person's values, and all others keep the writer's. */
  settle(fields: Field[]): void {
    const { state, draft } = this.#kept;
    if (state.is !== "conflict") return;
    const theirs = draftOf(state.theirs);
    this.#saved = theirs;
    this.#set({
      ...{ draft: taking(draft, theirs, fields), campaign: state.theirs, state: { is: "typed" } },
      aside: fields.length > 0 ? pick(draft, withWholeAudience(fields)) : null,
    });
    this.#copy();
    this.#saveIn(0);
  }

  bringBack(): void {
    const { aside } = this.#kept;
    this.#set({ aside: null });
    if (aside !== null) this.change(aside);
  }

  /** Hides the notices about the draft. */
  dismiss(): void {
    this.#set({ isRestored: false, merged: null, aside: null });
  }

  #restore(): void {
    const found = this.copy.read();
    if (found === null) return;
    const { campaign } = this.#kept;
    const isOwn = found.version === campaign.version;
    const { draft, both } = merge(isOwn ? this.#saved : null, found.changes, this.#saved);
    if (changedFields(this.#saved, draft).length === 0) {
      this.copy.remove();
      return;
    }
    const faster = { name: null, at: campaign.updatedAt };
    const state: SaveState = both.length > 0 ? { is: "conflict", both, theirs: campaign, faster } : { is: "typed" };
    this.#set({ draft, isRestored: true, state });
  }

  #retry = (): void => {
    if (this.#kept.state.is === "offline") this.#saveIn(0);
  };

  #saveIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#save(), ms);
  }

  #save(): Promise<void> {
    this.#saving ??= this.#saveOnce().finally(() => {
      this.#saving = null;
    });
    return this.#saving;
  }

  async #saveOnce(): Promise<void> {
    const { draft, campaign, state } = this.#kept;
    if (state.is === "conflict") return;
    if (campaign.status !== "DRAFT" && state.is !== "saved") {
      this.#set({ state: { is: "held" } });
      return;
    }
    if (changedFields(this.#saved, draft).length === 0) return this.#setSaved();
    this.#set({ state: { is: "saving" } });
    try {
      const changes = changesOf(this.#saved, draft);
      const answer = await this.petrel.campaigns.replace(campaign.id, changes, { ifMatch: campaign.version });
      this.#saved = draft;
      this.onSaved(answer);
      this.#set({ campaign: answer });
      this.#setSaved();
    } catch (error) {
      if (error instanceof VersionMismatchError) await this.#meet(draft, error);
      else this.#fail(error);
    }
  }

  /**
   * Handles a version that this page does not know: another person saved it, or this page did and its answer was lost.
   */
  async #meet(sent: Draft, { details }: VersionMismatchError): Promise<void> {
    try {
      const theirs = await this.petrel.campaigns.get(this.#kept.campaign.id);
      const faster = fasterIn(details);
      const mine = pick(this.#kept.draft, changedFields(this.#saved, this.#kept.draft));
      const isOwn = changedFields(sent, draftOf(theirs)).length === 0;
      const { draft, both, theirs: fields } = merge(isOwn ? sent : this.#saved, mine, draftOf(theirs));
      const merged = fields.length > 0 && !isOwn ? { fields, faster } : this.#kept.merged;
      if (both.length > 0 && !isOwn) {
        this.#set({ draft, merged, state: { is: "conflict", both, theirs, faster } });
        return;
      }
      this.#saved = draftOf(theirs);
      this.#set({ draft, campaign: theirs, merged, state: { is: "typed" } });
      this.#saveIn(0);
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    const isOffline =
      error instanceof PetrelError && (error.status === 0 || error.status === 429 || error.status >= 500);
    this.#set({ state: isOffline ? { is: "offline" } : { is: "refused", error } });
    if (isOffline) this.#saveIn(againMs);
  }

  /** Called when nothing is typed: the page shows the service's version. */
  #adopt(campaign: Campaign): void {
    const theirs = draftOf(campaign);
    const isOther = changedFields(draftOf(this.#kept.campaign), theirs).length > 0;
    if (isOther) this.#saved = theirs;
    this.#set({ campaign, ...(isOther && { draft: theirs }) });
  }

  #setSaved(): void {
    if (changedFields(this.#saved, this.#kept.draft).length > 0) {
      this.#set({ state: { is: "typed" } });
      this.#copy();
      this.#saveIn(restMs);
      return;
    }
    this.copy.remove();
    this.#set({ state: { is: "saved" }, isCopied: true });
  }

  #copy(): void {
    const { draft, campaign, isCopied } = this.#kept;
    const changes = pick(draft, changedFields(this.#saved, draft));
    const isThere = this.copy.write({ version: campaign.version, changes, at: Date.now() });
    if (isThere !== isCopied) this.#set({ isCopied: isThere });
  }

  #set(change: Partial<Kept>): void {
    this.#kept = { ...this.#kept, ...change };
    for (const listener of this.#listeners) listener();
  }
}

function fasterIn({ changedAt, changedBy }: Record<string, unknown>): Faster {
  const by: unknown = typeof changedBy === "object" && changedBy !== null ? Reflect.get(changedBy, "name") : null;
  return { name: typeof by === "string" ? by : null, at: typeof changedAt === "string" ? changedAt : null };
}
