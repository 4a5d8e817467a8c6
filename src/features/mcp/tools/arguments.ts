import { z } from "zod";

/** Arguments that several tools take. */
export const Contact = z.string().min(1).describe("The contact's id or email address.");
export const Campaign = z.string().min(1).describe("The campaign's id or exact name.");
export const Workflow = z.string().min(1).describe("The workflow's id or exact name.");
export const Template = z.string().min(1).describe("The template's id or exact name.");
export const Segment = z.string().min(1).describe("The segment's id or exact name.");
export const Data = z.record(z.string(), z.unknown());
