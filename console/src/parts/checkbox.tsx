interface CheckboxProps {
  label: string;
  isOn: boolean;
  turn(isOn: boolean): void;
}

export function Checkbox({ label, isOn, turn }: CheckboxProps) {
  return (
    <label className="inline-flex min-h-9 cursor-pointer items-center gap-2 text-small">
      <input
        type="checkbox"
        className="size-4 accent-main"
        checked={isOn}
        onChange={({ target }) => turn(target.checked)}
      />
      {label}
    </label>
  );
}
