import type { z } from "zod";
import type { References } from "../../audience/references";
import type { ForeignName } from "../../foreign-names";
import type { Id } from "../../ids";
import type { JsonObject } from "../../json";
import type { StepOutcome } from "../outcome";
import type { Trigger } from "../trigger";

/**
 * Everything about one type of step that does not need a database. A type with neither `decide` nor `wait` has an
 * effect, which is in `engine/workflows/steps`.
 */
export interface StepDefinition<Config> {
  /** Says what the step does, for the guide. Begins with a verb in the third person. */
  does: string;
  /** The brackets of the step's node in a diagram. */
  shape: readonly [open: string, close: string];
  /** The schema of the step's config, with an id and an example for the OpenAPI document. */
  config: z.ZodType<Config>;
  /**
   * For a config with several forms: returns the schema of the form that was meant, so that the faults refer to it
   * alone.
   */
  formOf?(sent: JsonObject): z.ZodType<Config>;
  /** The names that other tools use for parts of the config. */
  foreignNames?: readonly ForeignName[];
  /** Whether the step mails a template: the step's own, or the one in its config. */
  hasTemplate?: true;
  /** Whether no transition may lead out of the step. */
  isEnd?: true;
  branches?: BranchesOf<Config>;
  /** Returns the outcome of a step that the graph and the clock alone decide. */
  decide?(config: Config, enteredAt: number): StepOutcome;
  /** Returns the event that a step waits for. */
  wait?(config: Config): Wait;
  /** Describes in a few words what a step does; an empty text if there is nothing to say. */
  text(config: Config, workflow: { trigger: Trigger; template: NamedTemplate | undefined }): string;
  /** Returns probable mistakes in a step. `drawn` contains the branches of its outgoing transitions. */
  issues?(config: Config, step: { templateId: Id | null; drawn: (string | null)[] }): string[];
  /** Returns the fields, events and segments that the config names. */
  references?(config: Config): Partial<References>;
  /** Returns the fields of the contact that the step writes. */
  writes?(config: Config): string[];
  causes?: CausesOf;
}

/** The branches that a step may take. */
interface BranchesOf<Config> {
  /** The names of the branches in the OpenAPI document and in the guide. */
  are: string;
  namesOf(config: Config): string[];
  /** Whether a transition without a branch may lead out of the step as well. */
  areOptional: boolean;
}

/** The events that a step may cause. */
interface CausesOf {
  /**
   * The key of the step's config that determines the events; null if they are always the same. If the config has no
   * value for the key, the step causes no events.
   */
  key: string | null;
  events(value: unknown): readonly string[];
}

interface Wait {
  eventName: string;
  /** Null if the execution waits until the event comes. */
  timeoutMs: number | null;
}

/** A template as a diagram shows it. */
export interface NamedTemplate {
  name: string;
  subject: string;
}
