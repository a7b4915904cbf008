import type { RawBuilder } from 'kysely'
import { toWords } from '../../ranking/to-words.ts'
import type { Plan } from '../plan.ts'

/** The index of the words of runs, which each database has of its own kind. */
export interface RunWords {
  /** Enters the words of a run in place of those before. */
  writeRunWords(runId: string, words: readonly string[]): Plan<void>
  removeRunWords(runId: string): Plan<void>
  /** A question for all of these words. */
  toRunMatch(words: readonly string[]): string
  /** Whether the row of `runs` answers a question of {@link toRunMatch}. */
  isRunMatch(match: string): RawBuilder<boolean>
}

/** Characters of a task, and of an output, by which a run is found. */
const maxSearched = 20_000

/** The words by which a run is found: of its task, and of its output once there is one. */
export function toRunWords(...texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((text) => toWords(text.slice(0, maxSearched))))]
}
