import type { RunEvent } from '@homeward/contract/agent-platform'
import { useCallback, useEffect, useRef, useState } from 'react'
import { readRunEvents, type RunStreamSource } from './run-stream.ts'

/** A run as a component follows it. */
export interface RunStream {
  /**
   * Follows a run, and gives up the one before. `onEvent` is called with each event, in order; after `onRestart` with all of
   * them once more, from the first.
   */
  readonly start: (source: RunStreamSource, onEvent: (event: RunEvent) => void, onRestart: () => void) => void
  /** Gives up the reading; the run itself goes on. */
  readonly stop: () => void
  readonly isStreaming: boolean
  readonly error: Error | undefined
}

/** Follows one run at a time, for as long as the component shows. */
export function useRunStream(): RunStream {
  const current = useRef<AbortController>(undefined)
  const [isStreaming, setIsStreaming] = useState(false)
  const [error, setError] = useState<Error>()

  const stop = useCallback(() => {
    current.current?.abort()
    current.current = undefined
    setIsStreaming(false)
  }, [])

  const start = useCallback<RunStream['start']>((source, onEvent, onRestart) => {
    current.current?.abort()
    const own = new AbortController()
    current.current = own
    setError(undefined)
    setIsStreaming(true)
    const follow = async () => {
      for await (const event of readRunEvents(source, own.signal, { onRestart })) onEvent(event)
    }
    follow()
      .catch((cause: unknown) => {
        if (!own.signal.aborted) setError(cause instanceof Error ? cause : new Error(String(cause)))
      })
      .finally(() => {
        if (current.current === own) setIsStreaming(false)
      })
  }, [])

  useEffect(() => () => current.current?.abort(), [])
  return { start, stop, isStreaming, error }
}
