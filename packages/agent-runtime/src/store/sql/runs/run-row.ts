import type { RunResult } from '@homeward/contract/agent-platform'
import type { NewRun, RunProgress, RunStepWrite, StoredRun } from '../../ports/run-store.ts'
import { fromJson } from '../json.ts'
import type { RunsTable } from '../schema.ts'
import type { RawBuilder } from 'kysely'
import { toWords } from '../../ranking/to-words.ts'
import type { Plan } from '../plan.ts'

/** How far a run has come that has just begun. */
export const newProgress: RunProgress = {
  turns: 0,
  toolCalls: 0,
  usage: { input_tokens: 0, output_tokens: 0 },
  activeMs: 0,
  tainted: false,
}

/** A run as it is read. */
export interface RunRow {
  readonly id: string
  readonly createdAt: string
  readonly finishedAt: string | null
  readonly status: RunsTable['status']
  /** JSON of the run as it was started. */
  readonly run: string
  /** JSON; absent before its first step. */
  readonly progress: string | null
  /** JSON. */
  readonly result: string | null
  readonly owner: string | null
  readonly leaseUntil: string | null
  readonly cancelRequested: number
  readonly takeOvers: number
  readonly durationMs: number | null
  readonly microUsd: number | null
}

/** A step as it is written. */
export interface StepRow {
  readonly runId: string
  /** Who writes it. */
  readonly owner: string
  readonly firstSeq: number
  readonly lastSeq: number
  /** JSON. */
  readonly progress: string
  /** JSON; null when it announces no tool call. */
  readonly intents: string | null
  /** JSON; null for none. */
  readonly spans: string | null
  /** JSON. */
  readonly messages: string
  /** JSON. */
  readonly events: string
}

/** A run from its row. */
export function toRun(row: RunRow): StoredRun {
  const { status, progress, result, finishedAt, owner, leaseUntil } = row
  const run = fromJson<NewRun>(row.run)
  return {
    ...run,
    status,
    progress: progress === null ? newProgress : fromJson<RunProgress>(progress),
    cancelRequested: row.cancelRequested === 1,
    ...(owner !== null && leaseUntil !== null && { lease: { owner, until: leaseUntil } }),
    ...(row.takeOvers > 0 && { takeOvers: row.takeOvers }),
    ...(result !== null && { result: fromJson<RunResult>(result) }),
    ...(finishedAt !== null && { finishedAt }),
  } as StoredRun // its result is of its kind: that is how it was written
}

/** Row of a step. `owner`: who writes it. */
export function toStepRow(
  step: Pick<RunStepWrite, 'runId' | 'intents' | 'spans' | 'messages' | 'progress' | 'stream'>,
  owner: string,
): StepRow {
  const { firstSeq, events } = step.stream
  return {
    runId: step.runId,
    owner,
    firstSeq,
    lastSeq: firstSeq + events.length - 1,
    progress: JSON.stringify(step.progress),
    intents: step.intents === undefined ? null : JSON.stringify(step.intents),
    spans: step.spans === undefined || step.spans.length === 0 ? null : JSON.stringify(step.spans),
    messages: JSON.stringify(step.messages),
    events: JSON.stringify(events),
  }
}

/** The newest step of a run, with whose the run is. */
export interface NewestStep extends Pick<
  StepRow,
  'firstSeq' | 'lastSeq' | 'progress' | 'intents' | 'messages'
> {
  readonly status: RunsTable['status']
  readonly owner: string | null
}

/** Whether a write that is made again was kept: the run's newest step is this one, and nobody else has the run. */
export function isKept(newest: NewestStep | undefined, step: RunStepWrite): boolean {
  if (newest === undefined) return false
  const { status, owner } = newest
  const isOurs = step.waitFor ? status === 'waiting' : status === 'running' && owner === step.owner
  const row = toStepRow(step, step.owner)
  return (
    isOurs &&
    newest.firstSeq === row.firstSeq &&
    newest.lastSeq === row.lastSeq &&
    newest.progress === row.progress &&
    newest.messages === row.messages &&
    (newest.intents ?? '[]') === (row.intents ?? '[]')
  )
}

/** The index of the words of runs, which each database has of its own kind. */
export interface RunWords {
  /** Enters the words of a run in place of those before. */
  writeRunWords(runId: string, words: readonly string[]): Plan<void>
  removeRunWords(runId: string): Plan<void>
  /** A question for all of these words, and for a word that begins like this. */
  toRunMatch(words: readonly string[], beginning?: string): string
  /** Whether the row of `runs` answers a question of {@link toRunMatch}. */
  isRunMatch(match: string): RawBuilder<boolean>
  /** A text in the result of a run; null if it has none. */
  resultField(name: 'error' | 'code'): RawBuilder<string | null>
}

/** Characters of a task, and of an output, by which a run is found. */
const maxSearched = 20_000

/** The words by which a run is found: of its task, and of its output once there is one. */
export function toRunWords(...texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => toWords(text.slice(0, maxSearched))))]
}
