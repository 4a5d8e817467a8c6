import type { Id } from "../ids";
import type { StepConfigs } from "./config";

/** TRIGGER is where every run begins: each workflow has one, made with it. */
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
  /** Unique is not required: of two steps with one name, `steps.<name>` is the one that ran last. */
  name: string;
  config: StepConfigs[T];
  /** Of a SEND_EMAIL step; it overrules the one in `config`. */
  templateId: Id | null;
}

/** The way from one step to another, for all runs or for those that take a branch. */
export interface Transition {
  id: Id;
  fromStepId: Id;
  toStepId: Id;
  /** Null goes on from a step without branches, and from one whose branch is not drawn. */
  branch: string | null;
  /** Of several ways with the same branch the one with the highest is taken. */
  priority: number;
}

/** A workflow's steps and the ways between them: no circles, and nothing leads into TRIGGER or out of EXIT. */
export interface Graph {
  steps: readonly Step[];
  transitions: readonly Transition[];
}
