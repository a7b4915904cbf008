import { useState } from 'react'
import { Button } from '../../components/buttons/button.tsx'
import type { FollowedJournal } from './use-event-log.ts'

/** What a {@link LogsNote} takes. */
export interface LogsNoteProps {
  readonly journal: FollowedJournal
  /** Events that are shown. */
  readonly shown: number
  readonly isPaused: boolean
}

/** How much of the journal is shown, and the way to what was before. */
export function LogsNote({ journal, shown, isPaused }: LogsNoteProps) {
  const [isLoading, setIsLoading] = useState(false)
  const [error, setError] = useState<Error>()
  const { dropped } = journal.view

  async function loadOlder(): Promise<void> {
    setIsLoading(true)
    setError(undefined)
    try {
      await journal.loadOlder()
    } catch (cause) {
      setError(cause instanceof Error ? cause : new Error(String(cause)))
    } finally {
      setIsLoading(false)
    }
  }

  const canLoad = journal.hasOlder && !journal.isFull && !isPaused && journal.status === 'following'
  return (
    <div className="logs-note row" data-justify="between">
      <span className="muted small">
        {shown.toLocaleString()} {shown === 1 ? 'event' : 'events'}
        {dropped > 0 && `; ${dropped.toLocaleString()} older events are hidden; find them in the journal`}
        {journal.isFull && '. To see earlier events, use a narrower filter'}
        {!journal.hasOlder && shown > 0 && ', all events are loaded'}
        {error && `. Loading older events failed: ${error.message}`}
      </span>
      {canLoad && (
        <Button variant="quiet" isPending={isLoading} onPress={() => void loadOlder()}>
          Load older events
        </Button>
      )}
    </div>
  )
}
