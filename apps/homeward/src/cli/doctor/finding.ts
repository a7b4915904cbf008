/** Something that is wrong (`error`), or that somebody should look at (`warning`). */
export interface Finding {
  readonly level: 'error' | 'warning'
  /** One sentence. Holds no secret. */
  readonly problem: string
  /** What to do, in one sentence. */
  readonly fix: string
}

/** What one check has found out. */
export interface Checked {
  /** What was checked: `Data home`. */
  readonly name: string
  /** What is known when nothing is wrong. */
  readonly about: string
  readonly findings: readonly Finding[]
}

export const error = (problem: string, fix: string): Finding => ({ level: 'error', problem, fix })
export const warning = (problem: string, fix: string): Finding => ({ level: 'warning', problem, fix })

/** What a failure says, in one line. */
export const wordsOf = (cause: unknown): string =>
  (cause instanceof Error ? cause.message : String(cause)).replaceAll(/\s*\n\s*/g, ' ')
