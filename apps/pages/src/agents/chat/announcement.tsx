import { type ReactNode, Suspense } from 'react'
import { PlainMarkdown } from '../../components/text/markdown.tsx'
import { textOf, type Turn } from './turn.ts'

const longestSpoken = 1000

/**
 * Says what happens to those who listen: when the agent begins, calls a tool, asks, and ends, with the text of its answer. The text
 * that grows is not a live region: each piece of it would be read.
 */
export function Announcement({
  turn,
  agentName,
}: {
  readonly turn: Turn | undefined
  readonly agentName: string
}) {
  return (
    <div role="status" className="visually-hidden">
      {turn === undefined ? '' : describe(turn, agentName)}
    </div>
  )
}

function describe(turn: Turn, agentName: string): ReactNode {
  const last = turn.parts.at(-1)
  switch (turn.status) {
    case 'running':
      return last?.kind === 'tool' && !last.isDone
        ? `${agentName} calls ${last.name}.`
        : `${agentName} is working.`
    case 'waiting':
      return last?.kind === 'approval'
        ? `${agentName} asks for approval to run ${last.tool}.`
        : `${agentName} waits.`
    case 'cancelled':
      return 'Stopped.'
    case 'failed':
      return `The run failed. ${turn.failure?.message ?? ''}`
    case 'completed':
      return (
        // Nothing until all of it is there: it is to be said once.
        <Suspense fallback="">
          {agentName} answered: <PlainMarkdown text={textOf(turn)} maxLength={longestSpoken} />
        </Suspense>
      )
  }
}
