import { useWindowVirtualizer } from "@tanstack/react-virtual";
import clsx from "clsx";
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Rows } from "../api/pages";
import { useWords } from "../words/words";
import { useRowKeys } from "./row-keys";
import { Loading, Refused } from "./states";

export interface Column<Row> {
  title: string;
  /**
   * Hidden on narrower screens, because another column has the same content in a second line, or the column is
   * dispensable.
   */
  from?: "tablet" | "desk";
  className?: string;
  cell(row: Row): ReactNode;
}

interface RowSelection<Row> {
  selected: unknown;
  has(row: Row): boolean;
  toggle(row: Row): void;
  toggleAll(): void;
  nameOf(row: Row): string;
  /** The label of the checkbox above all rows. */
  all: string;
}

interface TableProps<Row> {
  label: string;
  rows: Rows<Row>;
  columns: Column<Row>[];
  idOf(row: Row): string;
  /** Lets rows be selected, by a checkbox in each row. */
  selection?: RowSelection<Row>;
  /** Shown when the list has no rows. */
  empty: ReactNode;
}

const rowPx = 64;
const shownFrom = { tablet: "hidden tablet:table-cell", desk: "hidden desk:table-cell" };

/**
 * Shows a list of any length. Only the rows on the screen are in the page, and the next rows are read before they come
 * into view.
 */
export function Table<Row>({ label, rows: list, columns, idOf, selection, empty }: TableProps<Row>) {
  const { words } = useWords();
  const { rows, hasMore, isLoadingMore, loadMore } = list;
  const body = useRef<HTMLTableSectionElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    if (body.current) setTop(body.current.getBoundingClientRect().top + window.scrollY);
  });
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowPx,
    overscan: 12,
    scrollMargin: top,
    getItemKey: (index) => (rows[index] ? idOf(rows[index]) : index),
  });
  const shown = virtual.getVirtualItems();
  const isNearEnd = (shown.at(-1)?.index ?? 0) >= rows.length - 20;
  useEffect(() => {
    if (isNearEnd && hasMore && !isLoadingMore && list.error === null) loadMore();
  }, [isNearEnd, hasMore, isLoadingMore, list.error, loadMore]);
  useRowKeys(body);

  if (list.isLoading) return <Loading rows={10} />;
  if (list.error !== null && rows.length === 0) return <Refused error={list.error} retry={list.reload} />;
  if (rows.length === 0 && !hasMore) return empty;
  const before = (shown[0]?.start ?? top) - top;
  const after = virtual.getTotalSize() - ((shown.at(-1)?.end ?? top) - top);
  return (
    <>
      <table
        aria-label={label}
        aria-rowcount={hasMore ? -1 : rows.length + 1}
        className="w-full table-fixed text-start"
      >
        <thead>
          <tr className="border-b border-line text-small text-quiet">
            {selection && (
              <th scope="col" className="w-10 ps-4 text-start">
                <input
                  type="checkbox"
                  aria-label={selection.all}
                  checked={selection.selected === "all"}
                  onChange={selection.toggleAll}
                />
              </th>
            )}
            {columns.map(({ title, from, className }) => (
              <th
                key={title}
                scope="col"
                className={clsx("px-4 py-2 text-start font-medium", from && shownFrom[from], className)}
              >
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          <Spacer height={before} />
          {shown.map(({ index, key }) => {
            const row = rows[index];
            return (
              row && (
                <tr key={key} aria-rowindex={index + 2} className="relative h-16 border-b border-line hover:bg-hover">
                  {selection && (
                    <td className="w-10 ps-4">
                      <input
                        type="checkbox"
                        className="relative z-1"
                        aria-label={selection.nameOf(row)}
                        checked={selection.has(row)}
                        onChange={() => selection.toggle(row)}
                      />
                    </td>
                  )}
                  {columns.map(({ title, from, className, cell }) => (
                    <td key={title} className={clsx("px-4 py-2", from && shownFrom[from], className)}>
                      {cell(row)}
                    </td>
                  ))}
                </tr>
              )
            );
          })}
          <Spacer height={after} />
        </tbody>
      </table>
      {list.error !== null && <Refused error={list.error} retry={loadMore} />}
      <p role="status" className="px-4 py-3 text-small text-quiet">
        {isLoadingMore ? words.states.loading : hasMore ? "" : words.states.end}
      </p>
    </>
  );
}

function Spacer({ height }: { height: number }) {
  return height > 0 ? <tr aria-hidden style={{ height }} /> : null;
}
