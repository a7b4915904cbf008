/** Which rows of a long list are in sight, or nearly. */
export interface VisibleRows {
  readonly first: number
  /** Behind the last. */
  readonly end: number
}

/** What {@link visibleRows} is told. */
interface RowGeometry {
  readonly count: number
  readonly rowHeight: number
  readonly scrollTop: number
  readonly height: number
}

/** Rows above and below that are rendered too, so that a quick scroll shows no gap. */
const spare = 10

/** The rows that a scrolled list has to render, however many it has. */
export function visibleRows({ count, rowHeight, scrollTop, height }: RowGeometry): VisibleRows {
  const first = Math.max(0, Math.min(Math.floor(scrollTop / rowHeight), count) - spare)
  const end = Math.min(count, Math.ceil((scrollTop + height) / rowHeight) + spare)
  return { first, end: Math.max(first, end) }
}

/** Index of the first event whose number is not below `seq`; the length when there is none. */
export function indexOfSeq(events: readonly { readonly seq: number }[], seq: number): number {
  let low = 0
  let high = events.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((events[middle]?.seq ?? Infinity) < seq) low = middle + 1
    else high = middle
  }
  return low
}
