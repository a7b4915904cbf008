import { useEffect, useRef } from 'react'

interface LoadMoreOptions {
  readonly onLoadMore: (() => unknown) | undefined
  readonly isLoadingMore: boolean
  /** How many rows there are. */
  readonly count: number
  /** Behind the last row in sight. */
  readonly last: number
}

/** Rows before the end at which more are asked for. */
const marginRows = 20

/**
 * Asks for more rows when the end comes near: once for each place in the list, so that what cannot be read is not asked for
 * without end, and scrolling asks again.
 */
export function useLoadMore({ onLoadMore, isLoadingMore, count, last }: LoadMoreOptions): void {
  const askedAt = useRef('')
  useEffect(() => {
    const place = `${last} of ${count}`
    if (!onLoadMore || isLoadingMore || last < count - marginRows || askedAt.current === place) return
    askedAt.current = place
    void onLoadMore()
  }, [onLoadMore, isLoadingMore, count, last])
}
