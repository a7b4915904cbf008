import { useState, type ReactNode } from 'react'
import { isGone } from '../../api/until-gone.ts'
import { ErrorState } from './error-state.tsx'
import { LoadingState } from './loading-state.tsx'

/** What of a query is looked at: that of TanStack Query has it. */
export interface ViewedQuery<Reply> {
  readonly data: Reply | undefined
  readonly error: Error | null
  readonly refetch: () => unknown
  readonly isFetching?: boolean
  readonly isFetchedAfterMount?: boolean
}

/** What a {@link QueryView} takes. */
export interface QueryViewProps<Reply> {
  readonly query: ViewedQuery<Reply>
  /** Shown instead of the children where the reply `isEmpty`. */
  readonly empty?: ReactNode
  readonly isEmpty?: (reply: Reply) => boolean
  /** Shown where there is nothing of what was asked for. */
  readonly missing?: ReactNode
  readonly loadingLabel?: string
  /** Waits for what is being read when it opens, instead of showing what was read before: for a form, which begins with it. */
  readonly isFresh?: boolean
  readonly children: (reply: Reply) => ReactNode
}

/**
 * The states of a query around what it gives: loading, failed, empty, there. What was read stays while it cannot be read
 * again; why stands above it.
 */
export function QueryView<Reply>({
  query,
  empty,
  isEmpty,
  missing,
  loadingLabel,
  isFresh = false,
  children,
}: QueryViewProps<Reply>) {
  const { error } = query
  const [hasShown, setHasShown] = useState(false)
  const isOld = isFresh && query.isFetching === true && query.isFetchedAfterMount !== true
  const data = isOld && !hasShown ? undefined : query.data
  // From then on it stays: a form is not taken away because it is read again.
  if (data !== undefined && !hasShown) setHasShown(true)
  const again = isGone(error) ? {} : { onRetry: () => void query.refetch() }
  if (data === undefined) {
    if (missing !== undefined && isGone(error)) return <>{missing}</>
    if (error) return <ErrorState error={error} {...again} />
    return <LoadingState {...(loadingLabel !== undefined && { label: loadingLabel })} />
  }
  return (
    <>
      {error && <ErrorState error={error} {...again} isInline />}
      {empty !== undefined && isEmpty?.(data) === true ? empty : children(data)}
    </>
  )
}
