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

/** Asks for more rows when the end comes near, once for each end. */
export function useLoadMore({ onLoadMore, isLoadingMore, count, last }: LoadMoreOptions): void {
  const askedAt = useRef(-1)
  useEffect(() => {
    if (!onLoadMore || isLoadingMore || last < count - marginRows || askedAt.current === count) return
    askedAt.current = count
    void onLoadMore()
  }, [onLoadMore, isLoadingMore, count, last])
}
