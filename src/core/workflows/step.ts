import type { Id } from "../ids";
import type { StepConfigs } from "./config";

/** Every execution begins at TRIGGER: each workflow has exactly one, created with it. */
export const stepTypes = [
  "TRIGGER",
  "SEND_EMAIL",
  "DELAY",
  "WAIT_FOR_EVENT",
  "CONDITION",
  "WEBHOOK",
  "UPDATE_CONTACT",
  "EXIT",
] as const;
export type StepType = (typeof stepTypes)[number];

/** A step with the config of its type. */
export type Step = { [T in StepType]: StepOf<T> }[StepType];

export interface StepOf<T extends StepType> {
  id: Id;
  type: T;
  /** Need not be unique: if two steps share a name, `steps.<name>` is the one that ran last. */
  name: string;
  config: StepConfigs[T];
  /** For a SEND_EMAIL step only. Overrides the template in `config`. */
  templateId: Id | null;
}

/** A transition from one step to another: for all executions, or for those that take a branch. */
export interface Transition {
  id: Id;
  fromStepId: Id;
  toStepId: Id;
  /**
   * Null for the transition of a step without branches, and for the default one, which branches without a transition of
   * their own follow.
   */
  branch: string | null;
  /** If several transitions have the same branch, the one with the highest priority is taken. */
  priority: number;
}

/** A workflow's steps and transitions. There are no circles, and no transition leads into TRIGGER or out of EXIT. */
export interface Graph {
  steps: readonly Step[];
  transitions: readonly Transition[];
}
