import type { z } from "zod";
import type { Id } from "../ids";
import { stepDefinitions } from "./step-definitions";
import type { StepDefinition } from "./steps/definition";

type Definitions = typeof stepDefinitions;

export type StepType = keyof Definitions;

/** The types of step that have an effect. All others are decided by the graph and the clock, or by an event. */
export type EffectType = {
  [T in StepType]: Definitions[T] extends { decide: unknown } | { wait: unknown } ? never : T;
}[StepType];

// The cast is safe: these are the keys of the list, which is not empty.
export const stepTypes = Object.keys(stepDefinitions) as [StepType, ...StepType[]];

/** The config of each type of step, as it is stored and returned. */
export type StepConfigs = { [T in StepType]: z.infer<Definitions[T]["config"]> };

export function definitionOf(type: StepType): StepDefinition<unknown> {
  return stepDefinitions[type];
}

/** A step with the config of its type. */
export type Step = { [T in StepType]: StepOf<T> }[StepType];

export interface StepOf<T extends StepType> {
  id: Id;
  type: T;
  /** Names need not be unique. If two steps share a name, `steps.<name>` is the one that ran last. */
  name: string;
  config: StepConfigs[T];
  /** Null unless the step mails a template. Overrides the template in `config`. */
  templateId: Id | null;
}

/** A transition from one step to another: for all executions, or for those that take a branch. */
export interface Transition {
  id: Id;
  fromStepId: Id;
  toStepId: Id;
  /**
   * Null for the transition of a step without branches, and for the default transition, which an execution follows if
   * its branch has no transition.
   */
  branch: string | null;
  /** If several transitions have the same branch, the one with the highest priority is taken. */
  priority: number;
}

/**
 * A workflow's steps and transitions. The graph has no loops, and no transition leads into TRIGGER or out of an end.
 */
export interface Graph {
  steps: readonly Step[];
  transitions: readonly Transition[];
}
