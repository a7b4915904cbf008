import type { Cli } from '../cli.ts'
import { CliError } from '../cli-error.ts'
import { exitCodes } from '../exit-codes.ts'
import { toEndLines, toQuestion, toToolLine } from '../chat/part-lines.ts'
import { type FollowedRunEvent, waitingApprovals, type Turn } from '@homeward/contract/runs'
import type { AgentsClient, RunInput } from '../agents-client.ts'
import { cleanLine, toSafeJson, createTextCleaner } from '../../terminal/clean-text.ts'
import { type RunEnd, runTask } from './run-task.ts'

/** A run whose answer is printed. */
interface PrintRunOptions {
  readonly cli: Cli
  readonly client: AgentsClient
  readonly request: RunInput
  /** Prints the finished run as JSON instead of its text. */
  readonly isJson: boolean
  readonly timeoutMs?: number | undefined
}

/**
 * Runs a task: text goes to stdout as it arrives, tool calls and the like to stderr.
 *
 * @throws {CliError} with the exit code of the result, unless the run completed.
 */
export async function printRun({ cli, client, request, isJson, timeoutMs }: PrintRunOptions): Promise<void> {
  const { stdout, stderr } = cli
  const broken = new AbortController()
  // A reader that went away, such as `head`, wants no more. The last write may fail after the command has ended.
  stdout.on('error', () => broken.abort())
  const printer = createAnswerPrinter((text) => void (isJson || broken.signal.aborted || stdout.write(text)))
  const interrupt = AbortSignal.any([cli.onInterrupt(), broken.signal])
  const say = (line: string) => void (isJson || stderr.write(`${line}\n`))
  const onEvent = (item: FollowedRunEvent, turn: Turn) => {
    printer.add(item)
    for (const line of progressLines(item, turn)) say(line)
  }
  const end = await runTask({ client, request, interrupt, timeoutMs, onEvent })
  printer.end()
  if (isJson && end.run !== undefined) stdout.write(`${toSafeJson(end.run)}\n`)
  for (const { text, isError } of toEndLines(end.turn)) if (!isError && end.reason === 'ended') say(text)
  const failure = toRunFailure(end, request.agent_id, timeoutMs)
  if (failure) throw failure
}

function progressLines(item: FollowedRunEvent, turn: Turn): readonly string[] {
  if (item.event === 'tool_call') {
    const part = turn.parts.findLast((each) => each.kind === 'tool' && each.callId === item.data.id)
    return part?.kind === 'tool' ? [toToolLine(part)] : []
  }
  if (item.event === 'retry') return [`The model is called again: ${cleanLine(item.data.reason)}`]
  if (item.event === 'file') return [`File: ${cleanLine(item.data.name)}, GET /api/files/${item.data.id}`]
  if (item.event !== 'connection') return []
  const lost = 'Connection lost. The run continues on the server. Reconnecting…'
  return [item.isConnected ? 'Connected again.' : lost]
}

function toRunFailure(
  { reason, turn, run }: RunEnd,
  agentId: string,
  timeoutMs: number | undefined,
): CliError | undefined {
  const attempt = 'Running the task failed'
  if (reason === 'interrupted') return new CliError('The run was canceled.', exitCodes.interrupted)
  if (reason === 'timeout') {
    return new CliError(`${attempt}: the run took longer than ${(timeoutMs ?? 0) / 1000} s and was canceled.`)
  }
  if (reason === 'waiting') return new CliError(toWaiting(turn, agentId), exitCodes.waiting)
  if (turn.failure) return new CliError(`${attempt}: ${cleanLine(turn.failure.message)}`)
  if (turn.status !== 'completed') return new CliError(`${attempt}: the run was canceled on the server.`)
  const isUnsuccessful = run?.result !== undefined && !run.result.success
  return isUnsuccessful
    ? new CliError(`${attempt}: ${cleanLine(run.result?.error ?? 'see the run')}`)
    : undefined
}

function toWaiting(turn: Turn, agentId: string): string {
  const calls = waitingApprovals(turn).map((call) => {
    return `${toQuestion(call)}\n  POST /api/runs/${call.runId}/approvals/${call.id} {"decision": "approve"}`
  })
  const chat = `homeward chat ${agentId} --conversation ${turn.conversationId ?? ''}`
  return [
    'The run waits for approval.',
    ...calls,
    `Decide with "${chat.trim()}", on the page of the run, or as above.`,
  ].join('\n')
}

/** Prints the text of an answer as it arrives, and nothing else. */
interface AnswerPrinter {
  /** Takes the events of one run, in order. */
  add(item: FollowedRunEvent): void
  /** Ends the last line. */
  end(): void
}

/**
 * Prints text through `write`. Texts with tool calls between them are separated by an empty line. Text that a server emits
 * a second time after a crash is printed once. What a terminal acts on is taken out.
 */
export function createAnswerPrinter(write: (text: string) => void): AnswerPrinter {
  const cleaner = createTextCleaner()
  let lastCharacter = ''
  let isSeparate = false
  let hasText = false
  let arrived = 0
  /** Characters that were printed before the events began again. */
  let known = 0

  function print(text: string): void {
    if (text === '') return
    if (isSeparate && lastCharacter !== '') write(lastCharacter === '\n' ? '\n' : '\n\n')
    isSeparate = false
    lastCharacter = text.at(-1) ?? ''
    write(text)
  }

  function addText(delta: string): void {
    hasText = true
    const skipped = Math.max(0, Math.min(known - arrived, delta.length))
    arrived += delta.length
    print(cleaner.add(delta.slice(skipped)))
  }

  function separate(): void {
    hasText = false
    if (arrived >= known) isSeparate = true
  }

  return {
    add(item) {
      if (item.event === 'assistant') addText(item.data.delta)
      else if (item.event === 'tool_start') separate()
      else if (item.event === 'restart') {
        known = Math.max(known, arrived)
        arrived = 0
        hasText = false
      } else if (item.event === 'done' && !hasText) addText(item.data.finalContent)
    },
    end() {
      print(cleaner.end())
      if (lastCharacter !== '' && lastCharacter !== '\n') write('\n')
    },
  }
}
