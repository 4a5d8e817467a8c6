interface SparkProps {
  /** Oldest first. */
  values: number[];
  /** The same days of the previous period, drawn behind. */
  before?: number[];
  label: string;
}

const [width, height] = [160, 40];

/** Shows a line without axes: the shape of some days, over the shape of as many earlier days. */
export function Spark({ values, before = [], label }: SparkProps) {
  const top = Math.max(1, ...values, ...before);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      className="h-10 w-full"
    >
      <polyline
        points={pointsOf(before, top)}
        className="fill-none stroke-edge opacity-60"
        strokeWidth="2"
        vectorEffect="non-scaling-stroke"
      />
      <polyline
        points={pointsOf(values, top)}
        className="fill-none stroke-main"
        strokeWidth="2"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}

function pointsOf(values: number[], top: number): string {
  const step = width / Math.max(1, values.length - 1);
  return values.map((value, at) => `${at * step},${height - 2 - (value / top) * (height - 4)}`).join(" ");
}
