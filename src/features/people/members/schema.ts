import { z } from "zod";
import { Email } from "../../../core/mail/address-input";
import { Warnings } from "../../../core/warning";
import { Invitation, memberFields, PersonLocale, PersonName, personExample, personFields } from "../schema";

const memberExample = { ...personExample, role: "editor" as const, maySend: true, seesPersonalData: true };

const fields = z.object({ ...personFields, ...memberFields });

export const Member = fields.extend({ warnings: Warnings }).meta({ id: "Member", example: memberExample });

export const InvitedMember = fields.extend({ invitation: Invitation, warnings: Warnings }).meta({
  id: "InvitedMember",
  example: { ...memberExample, lastSeenAt: null, invitation: Invitation.meta()?.example },
});

export const MemberPage = z
  .object({
    data: z.array(fields),
    cursor: z.string(),
    hasMore: z.boolean(),
    total: z.number().int(),
    warnings: Warnings,
  })
  .meta({ id: "MemberPage", example: { data: [memberExample], cursor: "", hasMore: false, total: 1 } });

export const onlyEditors = "Can only be false for an editor: an admin may always send, and a viewer never";
export const onlyViewers = "Can only be false for a viewer: the other roles need to see whom they write to";

const { role, maySend, seesPersonalData } = memberFields;

export const InviteMember = z
  .object({
    email: Email,
    role,
    name: PersonName.optional().meta({
      description: "The name of a new person. Ignored for a person who already exists.",
    }),
    locale: PersonLocale.optional(),
    maySend: maySend.optional(),
    seesPersonalData: seesPersonalData.optional(),
  })
  .refine(({ role, maySend }) => maySend !== false || role === "editor", { path: ["maySend"], message: onlyEditors })
  .refine(({ role, seesPersonalData }) => seesPersonalData !== false || role === "viewer", {
    path: ["seesPersonalData"],
    message: onlyViewers,
  })
  .meta({ id: "InviteMember", example: { email: "ada@example.com", role: "editor", maySend: false } });
export type InviteMember = z.infer<typeof InviteMember>;

export const UpdateMember = z
  .object({ role, maySend, seesPersonalData })
  .partial()
  .meta({ id: "UpdateMember", example: { role: "viewer", seesPersonalData: false } });
export type UpdateMember = z.infer<typeof UpdateMember>;
