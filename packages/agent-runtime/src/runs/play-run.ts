import type { Agent, Json, WhatIfRun } from '@homeward/contract/agent-platform'
import { cut } from '../json/to-json.ts'
import type { ModelMessage, ToolCallPart, ToolResult } from '../ports/message.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { Tool } from '../ports/tool.ts'
import { filesOf } from '../store/files-of.ts'
import type { NewJournalEvent } from '../store/ports/journal.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import type { StoredAgentRun } from '../store/ports/run-store.ts'
import type { AgentToolset } from '../tools/agent-tools.ts'
import { hashCall } from './calls/effect-ledger.ts'
import { toCost } from './cost.ts'
import { earlierMessages } from './rerun.ts'
import { cancelled } from './run-interrupts.ts'
import { lastText } from './run-messages.ts'
import { toRunsContext, type RunsContext, type RunsOptions } from './runs-options.ts'
import { startRun } from './start.ts'

/** Plays stored runs with a changed agent: see {@link createRunPlayer}. */
export interface RunPlayer {
  /**
   * Plays a run. A problem with it becomes its verdict.
   *
   * @throws the reason of `signal`
   */
  play(agent: Agent, changed: ReadonlySet<string>, runId: string, signal: AbortSignal): Promise<WhatIfRun>
}

const maxOutput = 10_000

/** Stores model calls that were made, before the step that they belong to. */
export type KeepModelCalls = (events: readonly NewJournalEvent[]) => Promise<unknown>

/**
 * Builds what plays stored runs. The models are asked as in any run, and everything that a run writes goes to `scratch`, a store in
 * memory; only budgets are those of the runtime, and `keepModelCalls` gets what the models used. No tool is called: calls get their
 * recorded results.
 */
export function createRunPlayer(
  options: RunsOptions,
  scratch: RuntimeStore,
  keepModelCalls: KeepModelCalls,
): RunPlayer {
  const { store: real } = options
  async function keepCallsOf({ journal }: { readonly journal: readonly NewJournalEvent[] }): Promise<void> {
    const made = journal.filter(({ type }) => type === 'model.completed')
    if (made.length > 0) await keepModelCalls(made)
  }
  const store: RuntimeStore = {
    ...scratch,
    async saveRunStep(step, signal) {
      await keepCallsOf(step)
      return scratch.saveRunStep(step, signal)
    },
    async finishRun(finish, signal) {
      await keepCallsOf(finish)
      return scratch.finishRun(finish, signal)
    },
    reserveBudget: real.reserveBudget,
    settleBudget: real.settleBudget,
    readBudget: real.readBudget,
  }
  return {
    async play(agent, changed, runId, signal) {
      const head = {
        run_id: runId,
        calls: { added: 0, removed: 0, changed: 0 },
        output: '',
        output_before: '',
      }
      const run = await real.findRun(runId, signal)
      if (run?.kind !== 'agent') return { ...head, verdict: 'failed', reason: 'The run was deleted.' }
      const before = {
        ...head,
        output_before: cut(run.result?.output ?? '', maxOutput),
        ...('cost' in toCost(run.progress.cost) && { cost_before: toCost(run.progress.cost).cost! }),
      }
      const recorded = createRecorded(await real.listRunMessages(runId, signal))
      if (recorded.calls.length < (run.result?.tool_calls ?? 0))
        return { ...before, verdict: 'failed', reason: 'The steps of the run were deleted.' }
      if (recorded.hosted !== undefined)
        return {
          ...before,
          verdict: 'diverged',
          reason: `The provider ran "${recorded.hosted}" itself, and its results cannot be played.`,
        }
      const own = toPlayedOptions({ ...options, store }, agent, run, recorded)
      const context = toRunsContext(own)
      try {
        return { ...before, ...(await playOn(context, options, { agent, changed, run, recorded }, signal)) }
      } catch (error) {
        signal.throwIfAborted()
        const reason = RuntimeError.is(error)
          ? error.message
          : 'Replaying the run failed: an unexpected error occurred. Read the log of the server.'
        return { ...before, verdict: 'failed', reason: (await context.redactor()).text(reason) }
      } finally {
        context.leases.close()
      }
    },
  }
}

/** The calls of a stored run, and their results. */
interface Recorded {
  readonly calls: readonly ToolCallPart[]
  /** Name of a tool that the provider ran itself. */
  readonly hosted: string | undefined
  /** The next result of a call; undefined if there is none more. */
  take(tool: string, args: Json): ToolResult | undefined
  /** The tool of a call without a recorded result. */
  missing: string | undefined
  /** Called for such a call. */
  onMissing: () => void
}

const callsOf = (messages: readonly ModelMessage[]): ToolCallPart[] =>
  messages.flatMap((message) =>
    message.role === 'assistant' ? message.parts.filter((part) => part.type === 'tool_call') : [],
  )

function createRecorded(messages: readonly ModelMessage[]): Recorded {
  const results = new Map<string, ToolResult[]>()
  let open: ToolCallPart[] = []
  for (const message of messages) {
    if (message.role === 'assistant') open = callsOf([message])
    else if (message.role === 'tool')
      for (const result of message.results) {
        const call = open.find(({ id }) => id === result.id)
        if (!call) continue
        const key = hashCall(call.name, call.args)
        results.set(key, [...(results.get(key) ?? []), result])
      }
  }
  const hosted = messages
    .flatMap((message) => (message.role === 'assistant' ? message.parts : []))
    .find((part) => part.type === 'hosted_call')
  return {
    calls: callsOf(messages),
    hosted: hosted?.name,
    take: (tool, args) => results.get(hashCall(tool, args))?.shift(),
    missing: undefined,
    onMissing: () => {},
  }
}

/** Tools that look as they are, and give what was recorded. They need no approval, and leave no taint: nothing is done. */
function toRecordedTool({ id, description, inputSchema, validate }: Tool, recorded: Recorded): Tool {
  return {
    id,
    description,
    inputSchema,
    ...(validate && { validate }),
    effects: 'read',
    returnsUntrustedContent: false,
    async execute(args, { signal }) {
      const result = recorded.take(id, args)
      if (!result) {
        recorded.missing ??= id
        recorded.onMissing()
        return new Promise<never>((_, reject) => {
          if (signal.aborted) reject(signal.reason as Error)
          else signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
        })
      }
      if (result.error !== undefined) throw new Error(result.error)
      return result.result ?? null
    },
  }
}

function toPlayedOptions(
  options: RunsOptions,
  agent: Agent,
  run: StoredAgentRun,
  recorded: Recorded,
): RunsOptions {
  const { leases: _, driveGraph: __, announceTask: ___, logins: ____, tracing: _____, ...others } = options
  const { input, output, timeoutMs } = options.guards ?? {}
  const { instructions } = run.setup ?? {}
  return {
    ...others,
    agents: { find: async () => agent },
    tools: {
      async forRun(played, signal, about) {
        const {
          tools,
          deferred,
          instructions: said,
        }: AgentToolset = await options.tools.forRun(played, signal, about)
        const own = (run.clientTools ?? []).map(({ name, description = '', parameters }): Tool => ({
          id: name,
          description,
          inputSchema: parameters ?? { type: 'object' },
          effects: 'read',
          returnsUntrustedContent: false,
          execute: async () => null,
        }))
        return {
          tools: [...tools, ...own].map((tool) => toRecordedTool(tool, recorded)),
          ...(deferred && { deferred }),
          instructions: said,
        }
      },
    },
    // what the app wrote for the run is played too; its choice of a model would hide the changed one
    choices:
      instructions === undefined ? {} : { codeOf: () => ({ tools: [], instructions: () => instructions }) },
    guards: {
      ...(input && { input }),
      ...(output && { output }),
      ...(timeoutMs !== undefined && { timeoutMs }),
    },
    workspace: async () => '',
  }
}

interface Play {
  readonly agent: Agent
  readonly changed: ReadonlySet<string>
  readonly run: StoredAgentRun
  readonly recorded: Recorded
}

async function playOn(
  context: RunsContext,
  { store: real }: Pick<RunsOptions, 'store'>,
  { agent, changed, run, recorded }: Play,
  signal: AbortSignal,
): Promise<Omit<WhatIfRun, 'run_id' | 'output_before' | 'cost_before'>> {
  const { store } = context
  const id = context.createId()
  const history = await earlierMessages({ ...context, store: real }, run)
  const files = filesOf({ ...(run.files && { files: run.files }), history })
  for (const file of files) {
    const { content } = (await real.findFile(file.id, signal)) ?? {}
    if (!content)
      throw new RuntimeError(
        'not_found',
        'Replaying the run failed: a file of the run was deleted. Replay another run.',
      )
    const contents = [{ sha256: file.sha256, content }]
    await store.saveFiles({ owner: { kind: 'run', id }, files: [file], contents, now: context.timestamp() })
  }
  const request = {
    agent_id: agent.id,
    task: run.progress.input?.task ?? run.task,
    store: false,
    ...(run.userId !== undefined && { user_id: run.userId }),
    ...(run.metadata && { metadata: run.metadata }),
    ...(!changed.has('limits') && { limits: run.limits }),
    ...(!changed.has('output_schema') && run.outputSchema && { output_schema: run.outputSchema }),
  }
  const given = {
    ...(run.instructions !== undefined && { instructions: run.instructions }),
    ...(run.files && { storedFiles: run.files }),
  }
  const again = { id, rerunOf: { runId: run.id }, history }
  const { own } = await startRun(context, request, given, again)
  if (!own)
    throw new RuntimeError(
      'run_error',
      'Replaying the run failed: the run could not be started. Try again later.',
    )
  const stop = () => own.controller.abort(cancelled())
  recorded.onMissing = stop
  if (recorded.missing !== undefined) stop()
  signal.addEventListener('abort', stop, { once: true })
  const end = await own.end.finally(() => signal.removeEventListener('abort', stop))
  signal.throwIfAborted()
  const played = await store.findRun(id)
  const messages = await store.listRunMessages(id)
  const result = end.kind === 'stopped' ? end.result : undefined
  const calls = compareCalls(recorded.calls, callsOf(messages))
  const output = cut(result?.output ?? lastText(messages), maxOutput)
  const isSame =
    output === cut(run.result?.output ?? '', maxOutput) && calls.added + calls.removed + calls.changed === 0
  const { cost } = toCost(played?.progress.cost)
  const shared = { calls, output, ...(cost && { cost }) }
  const { missing } = recorded
  if (missing !== undefined)
    return {
      ...shared,
      verdict: 'diverged',
      reason: `The call of "${missing}" was not recorded with these arguments.`,
    }
  if (!result?.success)
    return { ...shared, verdict: 'failed', reason: result?.error ?? 'The run did not end.' }
  return { ...shared, verdict: isSame ? 'same' : 'different' }
}

/** How the calls of two runs differ, without their order. */
function compareCalls(before: readonly ToolCallPart[], after: readonly ToolCallPart[]): WhatIfRun['calls'] {
  const [gone, extra] = [without(before, after), without(after, before)]
  let changed = 0
  for (const name of new Set(gone.map((call) => call.name))) {
    const count = (calls: readonly ToolCallPart[]) => calls.filter((call) => call.name === name).length
    changed += Math.min(count(gone), count(extra))
  }
  return { added: extra.length - changed, removed: gone.length - changed, changed }
}

/** The calls that other ones do not have, each as often as it is missing. */
function without(calls: readonly ToolCallPart[], others: readonly ToolCallPart[]): ToolCallPart[] {
  const left = new Map<string, number>()
  for (const { name, args } of others) {
    const key = hashCall(name, args)
    left.set(key, (left.get(key) ?? 0) + 1)
  }
  return calls.filter(({ name, args }) => {
    const key = hashCall(name, args)
    const count = left.get(key) ?? 0
    left.set(key, count - 1)
    return count <= 0
  })
}
