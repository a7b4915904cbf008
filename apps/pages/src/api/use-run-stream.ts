import { type FollowedRunEvent, followRun } from '@homeward/contract/runs'
import { useCallback, useEffect, useRef, useState } from 'react'
import { platform } from './platform.ts'

/** A run as a component follows it. */
interface RunStream {
  /** Follows a run from its first event on, and gives up the one before. */
  readonly start: (runId: string, onEvent: (event: FollowedRunEvent) => void) => void
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

  const start = useCallback<RunStream['start']>((runId, onEvent) => {
    current.current?.abort()
    const own = new AbortController()
    current.current = own
    setError(undefined)
    setIsStreaming(true)
    const follow = async () => {
      const how = { reasoning: true, signal: own.signal }
      for await (const event of followRun(platform, { run_id: runId }, how)) onEvent(event)
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
