import type { Member } from "petrel-client";
import { useState } from "react";
import { CheckField, SelectField } from "../../../parts/field";
import { useWords } from "../../../words/words";

export type Rights = Pick<Member, "role" | "maySend" | "seesPersonalData">;

const roles = ["viewer", "editor", "admin"] as const;

/** Shows the rights of a member as fields of a form, which `rightsIn` reads. Each role has its own switch, or none. */
export function RightsFields({ of }: { of: Rights }) {
  const { words } = useWords();
  const texts = words.settings.members;
  const [role, setRole] = useState(of.role);
  return (
    <>
      <div className="min-w-40 flex-1">
        <SelectField
          label={texts.role}
          name="role"
          value={role}
          onChange={({ target }) => setRole(roles.find((one) => one === target.value) ?? role)}
        >
          {roles.map((one) => (
            <option key={one} value={one}>
              {texts.roles[one]}
            </option>
          ))}
        </SelectField>
      </div>
      {role === "editor" && <CheckField label={texts.maySend} name="maySend" defaultChecked={of.maySend} />}
      {role === "viewer" && (
        <CheckField label={texts.seesPersonalData} name="seesPersonalData" defaultChecked={of.seesPersonalData} />
      )}
      <p className="basis-full text-small text-quiet">{texts.roleLeads[role]}</p>
    </>
  );
}

export function rightsIn(form: FormData): Rights {
  const role = roles.find((one) => one === form.get("role")) ?? "viewer";
  return {
    role,
    maySend: role !== "editor" || form.has("maySend"),
    seesPersonalData: role !== "viewer" || form.has("seesPersonalData"),
  };
}
