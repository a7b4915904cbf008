/** Which line of the documentation a case holds. */
export interface Reference {
  /** The document, as its readers know it. */
  readonly document: string
  /** The section of the document. */
  readonly section: string
  /** Path in the repository, with the anchor. */
  readonly link: string
}

/** Levels of device agents. Each includes `core`; the others after `robust` include it, and are features of their own. */
export const levels = ['core', 'robust', 'chunked', 'selective', 'work', 'documents', 'catalog'] as const

/** How much a device agent has to get right. */
export type Level = (typeof levels)[number]

/** One promise that is judged. */
export interface GradedCase<Trial> {
  /** Short name, for `--only` and for reports. */
  readonly id: string
  /** The promise, as a sentence. */
  readonly title: string
  readonly holds: Reference
  /** Resolves when the promise is kept; rejects with a {@link CaseFailure} when it is not. */
  run(trial: Trial): Promise<void>
}

/** Thrown by a case whose promise is broken. */
export class CaseFailure extends Error {
  override readonly name = 'CaseFailure'
}

/** Thrown by a case that cannot be judged here; the message says why. */
export class CaseSkip extends Error {
  override readonly name = 'CaseSkip'
}

/** Fails the case unless the condition holds. The message says what was seen, and what the rule is. */
export function check(condition: boolean, message: string): asserts condition {
  if (!condition) throw new CaseFailure(message)
}

/** What came of one case. */
export interface CaseResult {
  readonly id: string
  readonly level: string
  readonly title: string
  readonly holds: Reference
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** How long the case took, in milliseconds. */
  readonly tookMs: number
  /** Why it failed or was skipped. */
  readonly reason?: string
  /** What was seen meanwhile, a line each; without secrets. */
  readonly seen?: readonly string[]
}
