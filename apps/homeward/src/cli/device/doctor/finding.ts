/** One thing that `homeward device doctor` checked. */
export interface Finding {
  /** `error`: it cannot work. `warning`: it may not do what you expect. */
  readonly level: 'ok' | 'warning' | 'error'
  /** What was found, in one sentence. */
  readonly problem: string
  /** What to do. Empty if nothing has to be done. */
  readonly fix: string
}

export const ok = (problem: string): Finding => ({ level: 'ok', problem, fix: '' })
export const warning = (problem: string, fix: string): Finding => ({ level: 'warning', problem, fix })
export const failure = (problem: string, fix: string): Finding => ({ level: 'error', problem, fix })
