/** Entries of one list as far as they were read, the newest first. */
interface EntryPages<Row> {
  /** Undefined until the first page was read. */
  readonly rows: readonly Row[] | undefined
  /** Reads older entries; undefined at the end of the list. */
  readonly loadMore: (() => void) | undefined
}

/**
 * The entries of several lists as one, the newest first. An entry shows once no list can have a newer one that was not read yet.
 *
 * @returns `rows` undefined until each list has its first page
 */
export function mergeEntries<Row extends { readonly at: string }>(
  lists: readonly EntryPages<Row>[],
): EntryPages<Row> {
  if (lists.some(({ rows }) => rows === undefined)) return { rows: undefined, loadMore: undefined }
  const ends = lists.flatMap(({ rows = [], loadMore }) =>
    loadMore ? [{ at: rows.at(-1)?.at ?? '', loadMore }] : [],
  )
  const newestEnd = ends.reduce((newest, { at }) => (at > newest ? at : newest), '')
  const rows = lists
    .flatMap((list) => list.rows ?? [])
    .filter(({ at }) => at >= newestEnd)
    .toSorted((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0))
  const older = ends.filter(({ at }) => at === newestEnd)
  return {
    rows,
    loadMore: older.length === 0 ? undefined : () => older.forEach(({ loadMore }) => loadMore()),
  }
}
