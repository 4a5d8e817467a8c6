/** Shows a text unchanged, in a box that scrolls. */
export function Plain({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls is reached by the keyboard
    <pre tabIndex={0} dir="auto" className="max-h-[36rem] overflow-auto p-4 font-mono text-small whitespace-pre-wrap">
      {text}
    </pre>
  );
}
