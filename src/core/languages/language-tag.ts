import { z } from "zod";

/** A language tag (RFC 5646), such as `en` or `pt-BR`. */
export const LanguageTag = z
  .string()
  .regex(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/, "Must be a language tag such as en or pt-BR");
