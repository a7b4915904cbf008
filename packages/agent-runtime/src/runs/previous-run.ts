import type { ModelMessage } from '../ports/message.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { earlierMessages } from './rerun.ts'
import { withoutCorrections } from './run-messages.ts'
import type { RunStartOptions } from './runs.ts'
import type { RunsContext } from './runs-options.ts'

/** What a run reads that continues another one. */
interface PreviousTurn {
  /** What that run has read, and its own turn. */
  readonly history: readonly ModelMessage[]
  /** Whether it has read what a stranger may have made (A20). */
  readonly tainted: boolean
}

/**
 * Reads what a run continues. Of a run that has not ended, and of one whose messages are gone, its answer stands for its messages.
 *
 * @throws {RuntimeError} `not_found`
 */
export async function readPreviousTurn(
  context: RunsContext,
  { runId, output, firstWait }: NonNullable<RunStartOptions['previous']>,
): Promise<PreviousTurn> {
  const run = await context.store.findRun(runId)
  if (run?.kind !== 'agent')
    throw new RuntimeError(
      'not_found',
      'Continuing a run failed: no run of an agent has this id. List the runs to find it.',
    )
  const all = run.finishedAt === undefined ? [] : await context.store.listRunMessages(run.id)
  const own = firstWait === undefined ? all : await messagesBefore(context, run.id, all, firstWait)
  const answer: ModelMessage = { role: 'assistant', parts: [{ type: 'text', text: output }] }
  const question: ModelMessage = { role: 'user', text: run.progress.input?.task ?? run.task }
  const history: ModelMessage[] = [
    ...(await earlierMessages(context, run)),
    { ...question, ...(run.files && { files: run.files }) },
    ...(firstWait === undefined && own.some(({ role }) => role === 'assistant')
      ? withoutCorrections(own)
      : [...withoutCorrections(own), answer]),
  ]
  // each run has references of its own: they are deleted with it
  const withOwnFiles = history.map((message) =>
    message.role === 'user' && message.files
      ? { ...message, files: message.files.map((file) => ({ ...file, id: context.createId() })) }
      : message,
  )
  return { history: withOwnFiles, tainted: run.tainted || run.progress.tainted }
}

/** The messages of a run before the answer that opened a wait. */
async function messagesBefore(
  { store }: RunsContext,
  runId: string,
  messages: readonly ModelMessage[],
  number: number,
): Promise<readonly ModelMessage[]> {
  const waits = await store.listWaitsOf([runId])
  const { callId } = waits[number] ?? {}
  const at = messages.findIndex(
    (message) =>
      message.role === 'assistant' &&
      message.parts.some((part) => part.type === 'tool_call' && part.id === callId),
  )
  return at < 0 ? [] : messages.slice(0, at)
}
